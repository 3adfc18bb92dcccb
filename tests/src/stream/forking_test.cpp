// A program that forks while other threads of it open, write, read and close files.
#include <freshet/encryption.hpp>
#include <freshet/reader.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "src/os/interceptor.hpp"
#include "tests/support/child.hpp"
#include "tests/support/file_content.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

// Of these, those that this build has, and that work in the directory.
std::vector<writer_options> ways_to_write(const std::filesystem::path& directory, const encryption_key& key) {
  std::vector<writer_options> ways{{},
                                   {.block = 16 << 10},
                                   {.method = "uring", .block = 64 << 10},
                                   {.method = "uring-buffered", .block = 64 << 10},
                                   {.method = "libaio", .block = 64 << 10},
                                   {.hidden_until_closed = true},
                                   {.temporary = false, .delete_on_close = false, .checksum = checksum_algorithm::xxh3},
                                   {.key = &key},
                                   {.compression = {.format = compression_format::zstd, .level = -5, .threads = 1}}};
  std::erase_if(ways, [&](const writer_options& each) {
    std::error_code failure;
    writer out{directory / "try", each, failure};
    return static_cast<bool>(failure);
  });
  return ways;
}

// Writes files in one way after another, and reads each. Returns whether all was right, and prints what was wrong.
class file_maker {
 public:
  file_maker(std::filesystem::path path, const std::vector<writer_options>& ways)
      : path_{std::move(path)}, ways_{ways} {}

  bool make_one() {
    const writer_options& options = ways_[number_++ % ways_.size()];
    const std::size_t length = number_ % 3 == 0 ? 200'000 : 100;
    std::error_code failure;
    writer out{path_, options, failure};
    // Queues that others on this machine have at the moment: the next way may need none.
    if (failure == std::errc::resource_unavailable_try_again || failure == std::errc::not_enough_memory)
      return make_one();
    if (!failure) out.write(test::bytes_from(0, length), failure);
    if (!failure) out.close(failure);
    reader_options reading;
    reading.key = options.key;
    if (options.compression.format != compression_format::none) reading.decompression = decompression::zstd;
    std::string content(length + 1, '\0');
    reader in;
    if (!failure) in = reader{path_, reading, failure};
    if (!failure) content.resize(in.read(content, failure));
    ofstream stream{path_};
    stream << number_;
    stream.close();
    const bool is_right = !failure && stream && content.size() == length && test::first_difference(content) == length;
    // Not by a stream of the standard library, whose lock another thread may hold where a child begins.
    if (!is_right)
      ::dprintf(STDERR_FILENO, "error of way %zu (%s): %s, %zu of %zu bytes: %s\n", number_ - 1,
                std::string{options.method}.c_str(), failure.message().c_str(), content.size(), length, path_.c_str());
    return is_right;
  }

 private:
  std::filesystem::path path_;
  const std::vector<writer_options>& ways_;
  std::size_t number_ = 0;
};

encryption_key any_key() {
  return encryption_key{
      std::as_bytes(std::span<const char, encryption_key::size>{"0123456789abcdef0123456789abcdef", 32})};
}

TEST(forking, leaves_a_child_able_to_use_files_of_its_own) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "locks of the sanitizer's own allocator may stay locked in the child";
#endif
  const test::temporary_directory directory;
  const encryption_key key = any_key();
  const auto ways = ways_to_write(directory.path(), key);
  std::atomic<bool> ends = false;
  std::atomic<unsigned> wrong = 0;
  std::vector<std::thread> threads;
  for (const char* const name : {"first", "second", "third"})
    threads.emplace_back([&, path = directory / name] {
      for (file_maker maker{path, ways}; !ends;)
        if (!maker.make_one()) ++wrong;
    });
  const std::size_t forks = test::sample_size(10'000, 250);
  file_maker own{directory / "own", ways};
  for (std::size_t i = 0; i < forks; ++i) {
    static_cast<void>(i % 2 == 0 && own.make_one());  // so that children begin with different ways
    const bool is_right = test::true_in_child([&] {
      ::alarm(120);  // ends a child that waits forever
      return own.make_one() && own.make_one();
    });
    EXPECT_TRUE(is_right) << "after fork " << i;
    if (!is_right) break;
  }
  ends = true;
  for (auto& each : threads) each.join();
  EXPECT_EQ(wrong, 0U);
}

/// Delays each move of a position on the thread that made it.
class slow_moves final : public detail::os::interceptor {
 public:
  slow_moves() : replaced_{detail::os::intercept(this)} {}
  slow_moves(const slow_moves&) = delete;
  slow_moves& operator=(const slow_moves&) = delete;
  ~slow_moves() override { detail::os::intercept(replaced_); }
  std::error_code before(detail::os::intercepted_call& next) override {
    if (next.kind == detail::os::call::seek && std::this_thread::get_id() == slow_)
      std::this_thread::sleep_for(std::chrono::milliseconds{2});
    return {};
  }

 private:
  std::thread::id slow_ = std::this_thread::get_id();
  detail::os::interceptor* replaced_;
};

// While a fork sets the position of a file, its writer goes on in another thread.
TEST(forking, never_takes_back_the_position_of_a_file_that_has_gone_on) {
  const test::temporary_directory directory;
  const slow_moves delay;
  std::atomic<bool> ends = false;
  std::thread writing{[&] {
    const std::string piece(3000, 'x');
    while (!ends) {
      writer out{directory / "file", {.block = 64 << 10}};
      for (int i = 0; i < 500; ++i) out.write(piece);
      out.close();
      EXPECT_EQ(test::content_of(directory / "file"), std::string(500 * piece.size(), 'x'));
    }
  }};
  for (std::size_t i = 0; i < test::sample_size(500, 100); ++i) {
    EXPECT_TRUE(test::true_in_child([] { return true; }));
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  ends = true;
  writing.join();
}

}  // namespace
}  // namespace freshet
