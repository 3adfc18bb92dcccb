// What is left of files whose program is killed at any moment, or whose disk is full at any boundary of a block.
#include <freshet/encryption.hpp>
#include <freshet/reader.hpp>
#include <freshet/writer.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/os/interceptor.hpp"
#include "tests/support/compressing.hpp"
#include "tests/support/mounted_image.hpp"
#include "tests/support/sealed_bytes.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

constexpr std::size_t KiB = 1024;

// Calls `act` before the call of the system with that number, counted from 1.
class at_call final : public detail::os::interceptor {
 public:
  template <typename Act>
  at_call(std::uint64_t number, Act act) : left_{number}, act_{act}, replaced_{detail::os::intercept(this)} {}
  ~at_call() override { detail::os::intercept(replaced_); }
  std::error_code before(detail::os::intercepted_call& /*next*/) override {
    ++made_;
    if (--left_ == 0) act_();
    return {};
  }
  [[nodiscard]] std::uint64_t made() const { return made_; }

 private:
  std::atomic<std::uint64_t> left_;
  std::atomic<std::uint64_t> made_{0};
  std::function<void()> act_;
  detail::os::interceptor* replaced_;
};

bool can_seal() { return detail::why_no_encryption().empty() && test::why_no_compression().empty(); }

class replaced_and_killed : public testing::Test {
 protected:
  struct kind_of_writing {
    test::way way;
    bool has_old = true;
    bool hidden_only = false;
    const encryption_key* key = nullptr;  // compressed and encrypted with it
    [[nodiscard]] writer_options options() const {
      writer_options options = way.options(64 * KiB);
      (hidden_only ? options.hidden_until_closed : options.atomic) = true;
      options.key = key;
      if (key != nullptr) options.compression.format = compression_format::zstd;
      return options;
    }
  };

  void write_new(const kind_of_writing& how) const {
    writer out{path_, how.options()};
    for (std::size_t from = 0; from < new_.size(); from += 10'007)
      out.write(std::string_view{new_}.substr(from, 10'007));
    out.close();
  }
  void make_old(const kind_of_writing& how) const {
    std::filesystem::remove(path_);
    if (!how.has_old) return;
    std::ofstream{path_, std::ios_base::binary} << old_;
    ASSERT_EQ(::chmod(path_.c_str(), 0640), 0);
  }
  // How many calls of the system writing makes. Some depend on what the process remembers: the least of some runs.
  [[nodiscard]] std::uint64_t calls_of(const kind_of_writing& how) const {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (int i = 0; i < 2; ++i) {
      make_old(how);
      const at_call count{0, [] {}};
      write_new(how);
      least = std::min(least, count.made());
    }
    return least;
  }

  // Returns whether the process was killed. It kills itself before the call, or is killed some time after it.
  bool kill_while_writing(const kind_of_writing& how, std::uint64_t call, bool by_itself) const {
    std::array<int, 2> reached{};
    EXPECT_EQ(::pipe2(reached.data(), O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      const at_call moment{call, [&] {
                             if (by_itself) ::kill(::getpid(), SIGKILL);
                             if (::write(reached[1], "x", 1) != 1) ::_exit(1);
                           }};
      try {
        write_new(how);
      } catch (...) {
        ::_exit(1);
      }
      ::_exit(0);
    }
    ::close(reached[1]);
    char byte = 0;
    const bool is_waiting = ::read(reached[0], &byte, 1) == 1;
    ::close(reached[0]);
    if (is_waiting) ::kill(child, SIGKILL);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << status;
    return WIFSIGNALED(status);
  }

  // What can be read, up to the first error.
  [[nodiscard]] std::string unsealed(const encryption_key& key) const {
    std::error_code failure;
    reader in{path_, {.key = &key, .decompression = decompression::zstd}, failure};
    std::string plain(new_.size() + 1, '\0');
    plain.resize(failure ? 0 : in.read(plain, failure));
    EXPECT_FALSE(failure) << failure.message();
    return plain;
  }

  void expect_old_or_new(const kind_of_writing& how) {
    if (!std::filesystem::exists(path_)) {
      EXPECT_FALSE(how.has_old) << "the old file is gone";
      return;
    }
    const std::string content = test::content_of(path_);
    const bool is_old = how.has_old && content == old_;
    const bool is_new = how.key == nullptr ? content == new_ : !is_old && unsealed(*how.key) == new_;
    EXPECT_TRUE(is_old || is_new) << content.size() << " bytes that are neither the old file nor the new one";
    ++(is_new ? news_ : olds_);
    struct stat status {};
    EXPECT_EQ(::stat(path_.c_str(), &status), 0);
    EXPECT_TRUE(!how.has_old || (status.st_mode & 07777U) == 0640U) << "it lost its mode";
  }

  test::temporary_directory directory_{test::disk_place()};
  std::filesystem::path path_ = directory_ / "file";
  std::string old_ = test::bytes_from(5'000'000, 200'000);
  std::string new_ = test::bytes_from(0, 700'000);
  encryption_key key_ = test::key_of(1);
  int olds_ = 0;
  int news_ = 0;
};

// Takes 2 minutes when it is complete.
TEST_F(replaced_and_killed, leaves_the_old_file_or_the_new_one) {
  std::mt19937_64 random{test::sample_seed()};
  std::vector<kind_of_writing> kinds;
  for (const auto& way : test::all_ways()) {
    if (way.method == "null" || way.method == "aio" || !test::why_not(way.method, directory_.path()).empty()) continue;
    for (const bool has_old : {true, false})
      for (const bool hidden_only : {true, false}) kinds.push_back({way, has_old, hidden_only});
    if (can_seal()) kinds.push_back({.way = way, .key = &key_});
  }
  std::map<std::size_t, std::uint64_t> calls;
  std::size_t killed = 0;
  const std::size_t moments = test::sample_size(2000, 60);
  for (std::size_t moment = 0; moment < moments; ++moment) {
    const std::size_t index = random() % kinds.size();
    const kind_of_writing& how = kinds[index];
    if (!calls.contains(index)) calls[index] = calls_of(how);
    // The calls that give the file its name are the last ones: every second moment is among those.
    const std::uint64_t last = calls[index];
    const std::uint64_t first = moment % 2 == 0 ? 1 : last - std::min<std::uint64_t>(last - 1, 8);
    const std::uint64_t call = std::uniform_int_distribution<std::uint64_t>{first, last}(random);
    SCOPED_TRACE(testing::Message{} << how.way << (how.has_old ? ", replacing" : "")
                                    << (how.hidden_only ? ", hidden" : ", atomic")
                                    << (how.key != nullptr ? ", compressed and encrypted" : "") << ", call " << call
                                    << " of " << last);
    make_old(how);
    if (kill_while_writing(how, call, moment % 3 != 0)) ++killed;
    expect_old_or_new(how);
    for (const auto& left : std::filesystem::directory_iterator{directory_.path()})
      if (left.path() != path_) std::filesystem::remove(left);
  }
  EXPECT_GT(killed, moments / 2);
  EXPECT_GT(olds_, 0);
  EXPECT_GT(news_, 0);
}

class disk_full_at_a_boundary : public testing::Test {
 protected:
  static constexpr std::size_t block = 64 * KiB;
  static constexpr std::size_t page = 4096;
  static constexpr std::size_t blocks = 9;

  void SetUp() override {
    const test::temporary_directory directory;
    const test::mounted_image mounted{directory.path(), "tmpfs", block};
    if (!mounted.why_not().empty()) GTEST_SKIP() << mounted.why_not();
  }

  // Calls `check` with disks that have room for a page less than some blocks, just these blocks, and a page more.
  template <typename Check>
  void for_each_size(std::size_t count, Check check) {
    std::vector<std::uint64_t> sizes;
    for (std::size_t i = 1; i <= blocks; ++i)
      for (const std::size_t pages : {i * block / page - 1, i * block / page, i * block / page + 1})
        sizes.push_back(pages * page);
    for (const std::uint64_t size : test::sample(sizes, count)) {
      SCOPED_TRACE(size);
      const test::temporary_directory directory;
      const test::mounted_image mounted{directory.path(), "tmpfs", size};
      ASSERT_EQ(mounted.why_not(), "");
      check(mounted.path(), size);
    }
  }

  // Writes more than fits; returns what the first call that failed reported.
  static std::string fill(writer& out) {
    try {
      while (out.tell() < (blocks + 2) * block) out.write(test::bytes_from(out.tell(), 7001));
      out.close();
    } catch (const error& caught) {
      EXPECT_EQ(caught.code(), std::errc::no_space_on_device);
      return caught.what();
    }
    return "there was no error";
  }
};

TEST_F(disk_full_at_a_boundary, leaves_just_what_was_written) {
  for_each_size(6, [](const std::filesystem::path& directory, std::uint64_t size) {
    for (const auto& way : test::all_ways()) {
      if (way.method == "null" || way.method == "mmap" || !test::why_not(way.method, directory).empty()) continue;
      SCOPED_TRACE(way);
      const auto path = directory / "file";
      {
        constexpr unsigned depth = 3;
        writer out{path, way.options(block, depth)};
        EXPECT_THAT(fill(out), testing::AllOf(testing::HasSubstr(path.native()), testing::HasSubstr("No space left")));
        EXPECT_EQ(out.last_error(), std::errc::no_space_on_device) << "the first error sticks";
        EXPECT_LE(out.written_bytes(), size);
        // Blocks that are written at the same time compete for the last pages.
        const std::size_t at_once = way.ordered && !way.size_ahead ? 1 : depth;
        EXPECT_GT(out.written_bytes() + at_once * block, size) << "not all of the disk was used";
        test::expect_prefix(path, out.written_bytes());
      }
      std::filesystem::remove(path);
    }
  });
}

// Frames that random bytes fill, and chunks: all that is whole can be read, and then there is an error.
TEST_F(disk_full_at_a_boundary, leaves_whole_chunks_and_frames) {
  if (!can_seal()) GTEST_SKIP() << "this freshet was built without OpenSSL or libzstd";
  const encryption_key key = test::key_of(1);
  for_each_size(6, [&](const std::filesystem::path& directory, std::uint64_t size) {
    for (const bool compresses : {false, true})
      for (const encryption_key* const used : {static_cast<const encryption_key*>(nullptr), &key}) {
        if (!compresses && used == nullptr) continue;
        SCOPED_TRACE(testing::Message{} << (compresses ? "compressed " : "") << (used != nullptr ? "encrypted" : ""));
        const auto path = directory / "file";
        {
          writer_options options{.method = "buffered", .block = block, .key = used};
          if (compresses) options.compression = {.format = compression_format::zstd, .threads = 1};
          writer out{path, options};
          std::string why;
          try {
            // Each flush ends a chunk or frame, of which some therefore are whole.
            for (std::uint64_t at = 0; at < (blocks + 2) * block; at += 7001) {
              out.write(test::bytes_from(at, 7001));
              if (at / 7001 % 3 == 0) out.flush();
            }
            out.close();
          } catch (const error& caught) {
            EXPECT_EQ(caught.code(), std::errc::no_space_on_device);
            why = caught.what();
          }
          EXPECT_THAT(why, testing::HasSubstr("No space left"));
          EXPECT_LE(out.written_bytes(), size);
        }
        std::error_code failure;
        reader in{
            path, {.key = used, .decompression = compresses ? decompression::zstd : decompression::none}, failure};
        std::string plain((blocks + 2) * block, '\0');
        plain.resize(failure ? 0 : in.read(plain, failure));
        EXPECT_EQ(failure, std::errc::bad_message);
        EXPECT_EQ(test::first_difference(plain), plain.size());
        in = {};
        std::filesystem::remove(path);
      }
  });
}

TEST_F(disk_full_at_a_boundary, leaves_the_file_that_was_to_be_replaced) {
  for_each_size(6, [](const std::filesystem::path& directory, std::uint64_t) {
    for (const std::string_view method : {"auto", "buffered", "uring-buffered"}) {
      if (method != "auto" && !test::why_not(method, directory).empty()) continue;
      const auto path = directory / "file";
      std::ofstream{path} << "old";
      writer out{path, {.method = method, .block = block, .atomic = true}};
      EXPECT_THAT(fill(out), testing::HasSubstr("No space left"));
      EXPECT_EQ(test::content_of(path), "old");
      EXPECT_EQ(test::entries_in(directory), 1U);
    }
  });
}

TEST_F(disk_full_at_a_boundary, is_reported_by_temporary_files_that_move_there) {
  for_each_size(6, [](const std::filesystem::path& directory, std::uint64_t size) {
    for (const std::uint64_t memory : {std::uint64_t{block}, size, (blocks + 1) * block}) {
      writer out{directory, {.block = block, .temporary = true, .temporary_memory = memory}};
      EXPECT_THAT(fill(out),
                  testing::AllOf(testing::HasSubstr(directory.native()), testing::HasSubstr("No space left")));
      EXPECT_LE(out.written_bytes(), std::max(size, memory));
      EXPECT_EQ(test::entries_in(directory), 0U);
    }
  });
}

TEST_F(disk_full_at_a_boundary, leaves_no_file_that_was_to_be_deleted) {
  for_each_size(6, [](const std::filesystem::path& directory, std::uint64_t) {
    writer out{directory / "file", {.block = block, .delete_on_close = true}};
    EXPECT_THAT(fill(out), testing::HasSubstr("No space left"));
    out.discard();
    EXPECT_EQ(test::entries_in(directory), 0U);
  });
}

}  // namespace
}  // namespace freshet
