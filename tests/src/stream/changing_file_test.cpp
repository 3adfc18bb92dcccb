// What the streams read from files that change while they are open, and from pipes, beside what std's do.
#include <freshet/stream.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <locale>
#include <string>
#include <string_view>

#include "tests/support/compressing.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

class changing_file : public testing::Test {
 protected:
  void put(std::string_view text) { std::ofstream{path_} << text; }
  // Without a new inode, as another process that writes to the file.
  void overwrite(std::string_view text) { std::fstream{path_} << text; }

  test::temporary_directory directory_;
  const std::filesystem::path path_ = directory_ / "file";
};

TEST_F(changing_file, is_read_again_after_a_seek) {
  const auto see_change = [&](auto in) {
    put("before, and more");
    in.open(path_);
    std::string word;
    EXPECT_TRUE(in >> word);
    EXPECT_EQ(word, "before,");
    overwrite("after!!");
    in.seekg(0);
    EXPECT_TRUE(in >> word);
    EXPECT_EQ(word, "after!!");
    overwrite("again!!");
    in.seekg(-3, std::ios_base::cur);
    EXPECT_EQ(in.tellg(), std::streampos{4});
    EXPECT_EQ(in.get(), 'n');
    in.seekg(0, std::ios_base::end);
    overwrite("at last");
    in.seekg(in.tellg() - std::streamoff{16});
    EXPECT_TRUE(std::getline(in, word));
    EXPECT_EQ(word, "at last and more");
  };
  see_change(std::ifstream{});
  see_change(ifstream{});
  see_change(std::fstream{});
  see_change(fstream{});
}

TEST_F(changing_file, is_read_again_after_a_seek_whether_or_not_it_may_be_compressed) {
  if (const auto reason = test::why_no_compression(); !reason.empty()) GTEST_SKIP() << reason;
  for (const std::string_view text : {"abc", "abcdefgh"}) {
    put(text);
    ifstream in{path_, test::decompressed(decompression::automatic)};
    EXPECT_EQ(in.get(), 'a');
    overwrite("xyz");
    in.seekg(1);
    EXPECT_EQ(in.get(), 'y');
  }
}

TEST_F(changing_file, below_proc_is_read_again_after_a_seek) {
  ifstream in{"/proc/self/comm"};
  std::string before, after;
  EXPECT_TRUE(std::getline(in, before));
  std::ofstream{"/proc/self/comm"} << "renamed";
  in.seekg(0);
  EXPECT_TRUE(std::getline(in, after));
  std::ofstream{"/proc/self/comm"} << before;
  EXPECT_EQ(after, "renamed");
}

TEST_F(changing_file, costs_one_system_call_for_a_seek) {
  put(test::bytes_from(0, 1'000'000));
  ifstream in{path_};
  std::array<char, 100> record{};
  in.seekg(70'000);  // the first one finds out what the file is
  in.read(record.data(), record.size());
  test::fault_injection calls;
  for (const int offset : {5, 300'000, 300'010, 999'000}) {
    in.seekg(offset);
    in.read(record.data(), record.size());
    EXPECT_EQ(test::first_difference({record.data(), record.size()}, static_cast<std::uint64_t>(offset)), 100U);
    EXPECT_EQ(in.gcount(), 100);
  }
  const auto reads = calls.seen(detail::os::call::read_at);
  EXPECT_EQ(reads.size(), 4U);
  for (const auto& each : reads) EXPECT_LE(each.length, 8192U) << "no more than std's reads";
  EXPECT_EQ(calls.count(detail::os::call::status) + calls.count(detail::os::call::seek), 0U);
}

// Such a file is read by `adaptive`, which asks where the bytes are when it reads in order.
TEST_F(changing_file, costs_one_system_call_for_a_seek_in_a_large_file) {
  put("");
  std::filesystem::resize_file(path_, 20'000'000);
  ifstream in{path_};
  in.seekg(3'000'000);
  EXPECT_EQ(in.get(), '\0');
  test::fault_injection calls;
  for (const int offset : {9'000'000, 5, 300'000, 19'000'000}) {
    in.seekg(offset);
    EXPECT_EQ(in.get(), '\0');
  }
  EXPECT_EQ(calls.count(detail::os::call::read_at), 4U);
  EXPECT_EQ(calls.count(detail::os::call::status), 0U);
  std::string large(4'000'000, 'x');
  in.seekg(9'000'000);
  EXPECT_EQ(in.get(), '\0');
  EXPECT_TRUE(in.read(large.data(), static_cast<std::streamsize>(large.size())));
  EXPECT_EQ(large, std::string(large.size(), '\0'));
  EXPECT_EQ(in.tellg(), std::streampos{13'000'001});
}

TEST_F(changing_file, is_read_in_large_blocks_again_after_a_seek) {
  put(test::bytes_from(0, 4'000'000));
  ifstream in{path_, {.method = "buffered", .block = 256 << 10}};
  in.seekg(1000);
  test::fault_injection calls;
  std::string line;
  in.ignore(3'900'000);
  EXPECT_LT(calls.count(detail::os::call::read_at), 25U);
}

// A pipe with its writing end, which opening does not wait for.
class piped : public changing_file {
 protected:
  void SetUp() override {
    ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
    end_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(end_, 0);
  }
  void TearDown() override { ::close(end_); }
  void send(std::string_view text) const {
    ASSERT_EQ(::write(end_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  template <typename Stream>
  void expect_six(Stream in) const {
    in.open(path_, std::ios_base::in);
    ASSERT_TRUE(in.is_open());
    EXPECT_EQ(in.rdbuf()->in_avail(), 0);
    send("sixsix");
    EXPECT_EQ(in.rdbuf()->in_avail(), 6);
    std::array<char, 10> into{};
    EXPECT_EQ(in.readsome(into.data(), 3), 3);
    EXPECT_EQ(in.gcount(), 3);
    EXPECT_EQ(in.rdbuf()->in_avail(), 3);
    EXPECT_EQ(in.readsome(into.data(), 10), 3);
    EXPECT_EQ(in.readsome(into.data(), 10), 0);
    EXPECT_TRUE(in.good());
    EXPECT_EQ((std::string_view{into.data(), 3}), "six");
  }

  template <typename Stream>
  void expect_to_go_on_after_clear(Stream in) const {
    const int descriptor = ::dup(end_);  // the stream's is the next one
    ::close(descriptor);
    in.open(path_, std::ios_base::in);
    send("one ");
    std::string word;
    EXPECT_TRUE(in >> word);
    EXPECT_EQ(in.get(), ' ');
    ASSERT_EQ(::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK), 0);
    EXPECT_EQ(in.get(), std::char_traits<char>::eof());
    EXPECT_TRUE(in.bad());
    in.clear();
    send("two ");
    EXPECT_TRUE(in >> word);
    EXPECT_EQ(word, "two");
  }

  int end_ = -1;
};

TEST_F(piped, characters_that_are_ready_are_counted) {
  expect_six(ifstream{});
  expect_six(fstream{});
}

TEST_F(piped, characters_that_are_ready_are_counted_as_libstdcxx_does) {
  expect_six(std::ifstream{});
  expect_six(std::fstream{});
}

TEST_F(piped, characters_are_not_read_twice_after_imbue) {
  send("one two ");
  ifstream in{path_};
  std::string word;
  EXPECT_TRUE(in >> word);
  // Two locales that differ; one that converts is refused until it is taken back.
  struct converting final : std::codecvt<char, char, std::mbstate_t> {
    [[nodiscard]] bool do_always_noconv() const noexcept override { return false; }
  };
  in.imbue(std::locale{std::locale::classic(), new converting});
  in.imbue(std::locale::classic());
  EXPECT_TRUE(in >> word);
  EXPECT_EQ(word, "two");
}

TEST_F(piped, characters_are_not_read_twice_after_writing) {
  fstream both{path_};
  send("one two ");
  std::string word;
  EXPECT_TRUE(both >> word);
  EXPECT_EQ(word, "one");
  both << "three " << std::flush;
  EXPECT_TRUE(both >> word);
  EXPECT_EQ(word, "two");
  EXPECT_TRUE(both >> word);
  EXPECT_EQ(word, "three");
}

TEST_F(piped, waiting_is_refused_and_reading_goes_on_after_clear) { expect_to_go_on_after_clear(ifstream{}); }

TEST_F(piped, waiting_is_refused_as_libstdcxx_does) { expect_to_go_on_after_clear(std::ifstream{}); }

}  // namespace
}  // namespace freshet
