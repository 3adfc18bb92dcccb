// Files whose descriptor others use as well, after a fork or by native_handle(): all write and read at its own
// position, as with the standard's streams.
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/child.hpp"
#include "tests/support/file_content.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

// What a program did with its file before it shares it: each leads to another state of the file.
struct earlier_use {
  std::string_view name;
  std::size_t written;
  bool asks_for_position = false;
  bool syncs = false;
  bool reserves = false;
};

constexpr earlier_use earlier_uses[] = {
    {"a_line", 9},
    {"nothing", 0},
    {"a_line_and_its_position", 9, true},
    {"a_synced_line", 9, false, true},
    {"a_line_in_reserved_space", 9, false, false, true},
    {"blocks", 300'000},
    {"many_blocks", 3'000'007, true, true, true},
};

struct setup {
  std::string_view method;
  earlier_use before;
  [[nodiscard]] writer_options options() const {
    return method == "auto" ? writer_options{} : test::way{method}.options();
  }
};

std::ostream& operator<<(std::ostream& out, const setup& one) { return out << one.method << '_' << one.before.name; }

std::vector<setup> all_setups() {
  std::vector<setup> all;
  std::vector<std::string_view> methods{"auto"};
  for (const test::way& each : test::ordered_ways) methods.push_back(each.method);
  for (const std::string_view method : methods)
    for (const earlier_use& before : earlier_uses) all.push_back({method, before});
  return all;
}

class shared_position : public testing::TestWithParam<setup> {
 protected:
  void SetUp() override {
    if (GetParam().method == "auto") return;
    if (const auto reason = test::why_not(GetParam().method, directory_.path()); !reason.empty())
      GTEST_SKIP() << reason;
  }

  // Brings `out` to the state in question, flushed.
  template <typename Out>
  void use(Out& out) {
    const earlier_use& before = GetParam().before;
    if (before.reserves) out.reserve(8 << 20);
    expected_ = test::bytes_from(0, before.written);
    write(out, expected_);
    if (before.asks_for_position) {
      EXPECT_EQ(static_cast<std::size_t>(tell(out)), before.written);
    }
    if (before.syncs) sync(out);
    out.flush();
  }

  static void write(writer& out, std::string_view bytes) { out.write(bytes); }
  static void write(std::ostream& out, std::string_view bytes) { out << bytes; }
  static std::uint64_t tell(const writer& out) { return out.tell(); }
  static std::uint64_t tell(std::ostream& out) { return static_cast<std::uint64_t>(out.tellp()); }
  static void sync(writer& out) { out.sync(); }
  static void sync(std::ostream& out) { out.flush(); }
  static bool is_good(const writer& out) { return !out.last_error(); }
  static bool is_good(const std::ostream& out) { return out.good(); }

  template <typename Out>
  void parent_child_parent(Out out) {
    use(out);
    EXPECT_TRUE(test::true_in_child([&] {
      write(out, "child\n");
      out.close();
      return is_good(out);
    }));
    write(out, "parent\n");
    out.flush();
    EXPECT_TRUE(test::true_in_child([&] {
      write(out, "second child\n");
      out.close();
      return is_good(out);
    }));
    const std::string large = test::bytes_from(7, 700'001);
    write(out, large);
    out.close();
    EXPECT_TRUE(is_good(out));
    EXPECT_TRUE(test::content_of(path_) == expected_ + "child\nparent\nsecond child\n" + large);
  }

  template <typename Out>
  void beside_the_descriptor(Out out) {
    use(out);
    const int descriptor = out.native_handle();
    EXPECT_EQ(::lseek(descriptor, 0, SEEK_CUR), static_cast<off_t>(expected_.size()));
    EXPECT_EQ(::write(descriptor, "one ", 4), 4);
    write(out, "two ");
    out.flush();
    const int copy = ::dup(descriptor);
    EXPECT_EQ(::write(copy, "three ", 6), 6);
    const std::string large = test::bytes_from(7, 700'001);
    write(out, large);
    out.flush();
    EXPECT_EQ(::write(copy, " four ", 6), 6);
    write(out, "five");
    out.close();
    EXPECT_TRUE(is_good(out));
    EXPECT_EQ(::write(copy, " six", 4), 4);
    ::close(copy);
    EXPECT_TRUE(test::content_of(path_) == expected_ + "one two three " + large + " four five six");
  }

  test::temporary_directory directory_ = test::directory_for(GetParam().method);
  std::filesystem::path path_ = directory_ / "file";
  std::string expected_;
};

TEST_P(shared_position, a_writer_after_forks) { parent_child_parent(writer{path_, GetParam().options()}); }

TEST_P(shared_position, a_stream_after_forks) { parent_child_parent(ofstream{path_, GetParam().options()}); }

TEST_P(shared_position, a_writer_beside_its_descriptor) { beside_the_descriptor(writer{path_, GetParam().options()}); }

TEST_P(shared_position, a_stream_beside_its_descriptor) {
  beside_the_descriptor(ofstream{path_, GetParam().options()});
}

// The standard's streams would write them twice.
TEST_P(shared_position, only_the_parent_writes_what_its_stream_had_not_flushed) {
  ofstream out{path_, GetParam().options()};
  use(out);
  out << "not flushed ";
  EXPECT_TRUE(test::true_in_child([&] {
    out << "child ";
    out.close();
    return out.good();
  }));
  out << "parent";
  out.close();
  EXPECT_TRUE(out);
  EXPECT_EQ(test::content_of(path_).substr(expected_.size()), "child not flushed parent");
}

TEST_P(shared_position, tellp_knows_what_the_child_wrote) {
  ofstream out{path_, GetParam().options()};
  use(out);
  EXPECT_TRUE(test::true_in_child([&] {
    out << "child ";
    return static_cast<std::size_t>(out.tellp()) == expected_.size() + 6 && out.flush();
  }));
  EXPECT_EQ(static_cast<std::size_t>(out.tellp()), expected_.size() + 6);
  out << "12345";
  EXPECT_EQ(static_cast<std::size_t>(out.tellp()), expected_.size() + 11);
  out.seekp(0);
  out << "X";
  EXPECT_EQ(out.tellp(), 1);
  out.close();
  auto whole = expected_ + "child 12345";
  whole[0] = 'X';
  EXPECT_EQ(test::content_of(path_), whole);
}

INSTANTIATE_TEST_SUITE_P(all, shared_position, testing::ValuesIn(all_setups()), [](const auto& which) {
  std::string name = std::string{which.param.method} + "_" + std::string{which.param.before.name};
  std::ranges::replace(name, '-', '_');
  return name;
});

class shared_reading : public testing::Test {
 protected:
  void SetUp() override { std::ofstream{path_, std::ios::binary} << content_; }
  static std::string rest_of(std::istream& in) { return {std::istreambuf_iterator<char>{in}, {}}; }

  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
  std::string content_ = test::bytes_from(0, 1'500'000);
};

// What the child reads, the parent does not get: they share the position.
TEST_F(shared_reading, nothing_is_left_where_the_child_read_all) {
  for (const std::size_t before : {0U, 1U, 300'000U}) {
    SCOPED_TRACE(before);
    ifstream in{path_};
    std::string start(before, ' ');
    in.read(start.data(), static_cast<std::streamsize>(before));
    ASSERT_EQ(start, content_.substr(0, before));
    EXPECT_TRUE(test::true_in_child([&] { return rest_of(in) == content_.substr(before); }));
    // What was in memory at the fork, both have.
    const std::string left = rest_of(in);
    EXPECT_EQ(left, content_.substr(before, left.size()));
    EXPECT_LT(left.size(), content_.size() - before);
  }
}

TEST_F(shared_reading, goes_on_where_a_user_of_the_descriptor_put_it) {
  ifstream in{path_};
  EXPECT_EQ(::lseek(in.native_handle(), 1'499'990, SEEK_SET), 1'499'990);
  EXPECT_EQ(rest_of(in), content_.substr(1'499'990));
  in.clear();
  in.seekg(700'000);
  EXPECT_EQ(in.get(), static_cast<unsigned char>(content_[700'000]));
  EXPECT_EQ(in.tellg(), 700'001);
}

TEST_F(shared_reading, a_file_that_is_written_too) {
  fstream file{path_, std::ios::in | std::ios::out | std::ios::trunc};
  file << "parent 1\n" << std::flush;
  EXPECT_TRUE(test::true_in_child([&] {
    file << "child\n";
    file.close();
    return file.good();
  }));
  file << "parent 2\n" << std::flush;
  EXPECT_EQ(::write(file.native_handle(), "direct\n", 7), 7);
  file << "parent 3\n";
  file.seekg(0);
  EXPECT_EQ(rest_of(file), "parent 1\nchild\nparent 2\ndirect\nparent 3\n");
}

class appended_position : public testing::Test {
 protected:
  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
};

TEST_F(appended_position, is_where_the_file_ends_although_others_append) {
  ofstream one{path_, std::ios::app};
  ofstream other{path_, std::ios::app};
  one << "12345" << std::flush;
  other << "67890" << std::flush;
  EXPECT_EQ(other.tellp(), 10);
  EXPECT_EQ(one.tellp(), 10);
  one << "abc";
  EXPECT_EQ(one.tellp(), 13);
}

TEST_F(appended_position, is_where_the_file_ends_although_it_was_truncated) {
  ofstream out{path_, std::ios::app};
  out << test::bytes_from(0, 100) << std::flush;
  std::filesystem::resize_file(path_, 0);
  out << "four" << std::flush;
  EXPECT_EQ(out.tellp(), 4);
}

// The kernel lets some files be written only at the descriptor's own position.
TEST(special_file, is_written_after_it_was_asked_for_its_position) {
  const auto written = [](auto&& write) {
    std::string name;
    EXPECT_TRUE(test::true_in_child([&] {
      write();
      std::getline(std::ifstream{"/proc/self/comm"}, name);
      return name == "renamed";
    }));
  };
  written([] {
    ofstream out{"/proc/self/comm"};
    static_cast<void>(out.tellp());
    out << "renamed";
    out.close();
  });
  written([] {
    fstream file{"/proc/self/comm", std::ios::in | std::ios::out};
    std::string name;
    file >> name;
    file.clear();
    file.seekp(0);
    file << "renamed";
    file.close();
  });
}

}  // namespace
}  // namespace freshet
