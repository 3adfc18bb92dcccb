// Readers that are passed between threads, that are duplicated by a fork, and many at once.
#include <freshet/encryption.hpp>
#include <freshet/lines.hpp>
#include <freshet/reader.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "src/base/pool.hpp"
#include "tests/support/compressing.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/reading.hpp"
#include "tests/support/sealed_bytes.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet {
namespace {

using test::belongs_at;
using test::text_of;

constexpr std::size_t length = 3'000'001;

class reading_elsewhere : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    if (const auto reason = test::why_not(GetParam(), directory_.path()); !reason.empty()) GTEST_SKIP() << reason;
    test::make_file(path_, length);
  }

  // Whether the rest of the file is right.
  static bool read_rest(reader& in) {
    while (in.peek() != reader::end_of_file) {
      const auto at = in.tell();
      if (!belongs_at(at, in.view(7777))) return false;
    }
    return in.tell() == length;
  }

  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
  reader_options options_{.method = GetParam(), .block = 64 << 10, .depth = 4};
};

// Each thread ends while blocks that it requested are in flight.
TEST_P(reading_elsewhere, threads_hand_a_reader_on) {
  reader in{path_, options_};
  bool right = true;
  for (int i = 0; i < 40; ++i)
    std::thread{[&, mine = std::move(in)]() mutable {
      const auto at = mine.tell();
      right = belongs_at(at, mine.view(70'000)) && right;
      in = std::move(mine);
    }}.join();
  EXPECT_TRUE(right);
  EXPECT_TRUE(read_rest(in));
}

TEST_P(reading_elsewhere, different_readers_in_different_threads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 3; ++round) {
        reader in{path_, options_};
        EXPECT_TRUE(read_rest(in));
      }
    });
  for (auto& each : threads) each.join();
}

TEST_P(reading_elsewhere, parent_and_child_go_on_after_a_fork) {
  reader in{path_, options_};
  EXPECT_TRUE(belongs_at(0, in.view(100'000)));
  const pid_t child = ::fork();
  if (child == 0) {
    bool good = false;
    try {
      good = read_rest(in);
      in.close();
    } catch (...) {
      ::_exit(2);
    }
    ::_exit(good ? 0 : 1);
  }
  EXPECT_TRUE(read_rest(in));
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// Both processes share the flag for direct I/O: each finds it changed by the other.
TEST_P(reading_elsewhere, parent_and_child_seek_at_the_same_time) {
  reader in{path_, options_};
  const auto read_around = [&] {
    bool good = true;
    for (std::uint64_t at = 0; at < length - 10'000; at += 40'961) {
      in.seek(at % 2 == 0 ? at : at / 4096 * 4096);
      const auto offset = in.tell();
      good = belongs_at(offset, in.view(9'000)) && good;
    }
    return good;
  };
  EXPECT_TRUE(belongs_at(0, in.view(10)));
  const pid_t child = ::fork();
  if (child == 0) {
    std::error_code failure;
    const bool good = detail::to_error_code(failure, read_around);
    ::_exit(good && !failure ? 0 : 1);
  }
  EXPECT_TRUE(read_around());
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// Together the readers request far more memory than the limit.
TEST_P(reading_elsewhere, many_readers_share_the_memory_there_is) {
  options_.block = 64 << 20;
  std::vector<reader> all;
  for (int i = 0; i < 20; ++i) all.emplace_back(path_, options_);
  for (auto& each : all) EXPECT_TRUE(belongs_at(0, each.view(10'000)));
  EXPECT_LE(detail::pool::in_use(), detail::pool::cap() + all.size() * 2 * detail::smallest_block);
  for (auto& each : all) EXPECT_TRUE(read_rest(each));
}

TEST_P(reading_elsewhere, a_reader_given_up_midway_leaves_its_blocks_alone) {
  for (int round = 0; round < 20; ++round) {
    reader in{path_, options_};
    EXPECT_TRUE(belongs_at(0, in.view(1000)));
    in.seek(1'000'000);
    EXPECT_TRUE(belongs_at(1'000'000, in.view(1000)));
  }
  reader in{path_, options_};
  EXPECT_TRUE(read_rest(in));
}

// Forks before the first byte is read, lets the child read everything, and then the parent: each must get all.
template <typename Read>
void expect_all_in_both_processes(const Read& read_all) {
  const pid_t child = ::fork();
  if (child == 0) {
    bool good = false;
    std::error_code failure;
    detail::to_error_code(failure, [&] { good = read_all(); });
    ::_exit(good && !failure ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the child";
  EXPECT_TRUE(read_all()) << "the parent";
}

TEST(reading_after_a_fork, gives_both_processes_every_byte_from_the_first_one_on) {
  const test::temporary_directory directory;
  for (const std::size_t size : {200U, 70'000U, 300'000U}) {
    SCOPED_TRACE(size);
    test::make_file(directory / "file", size);
    const auto is_whole = [&](reader& in) {
      std::string all(size + 1, '\0');
      return in.read(all) == size && test::first_difference(all.substr(0, size), 0) == size;
    };
    reader by_path{directory / "file"};
    expect_all_in_both_processes([&] { return is_whole(by_path); });
    reader small_blocks{directory / "file", {.block = 4096}};
    expect_all_in_both_processes([&] { return belongs_at(0, small_blocks.view(size)) && small_blocks.tell() == size; });
    const int descriptor = ::open((directory / "file").c_str(), O_RDONLY | O_CLOEXEC);
    auto adopted = reader::on_descriptor(descriptor, ownership::take);
    expect_all_in_both_processes([&] { return is_whole(adopted); });
  }
}

TEST(reading_after_a_fork, gives_both_processes_every_line) {
  const test::temporary_directory directory;
  std::ofstream{directory / "file"} << "one\ntwo\nthree\nfour\nfive\n";
  reader in{directory / "file"};
  expect_all_in_both_processes([&] { return std::ranges::distance(lines{in}) == 5; });
}

TEST(reading_after_a_fork, gives_both_processes_what_was_compressed) {
  if (const auto reason = test::why_no_compression(); !reason.empty()) GTEST_SKIP() << reason;
  const test::temporary_directory directory;
  const auto plain = test::bytes_from(0, 300'000);
  test::write_compressed(directory / "file", plain);
  for (const auto how : {decompression::automatic, decompression::zstd}) {
    reader in{directory / "file", test::decompressed(how)};
    expect_all_in_both_processes([&] { return text_of(in.view(plain.size() + 1)) == plain; });
  }
}

TEST(reading_after_a_fork, gives_both_processes_what_was_encrypted) {
  const test::temporary_directory directory;
  const auto plain = test::bytes_from(0, 300'000);
  const encryption_key key = test::key_of(3);
  writer_options sealing;
  sealing.key = &key;
  std::error_code failure;
  writer out{directory / "file", sealing, failure};
  if (failure == std::errc::operation_not_supported) GTEST_SKIP() << "this freshet was built without OpenSSL";
  out.write(plain);
  out.close();
  reader_options opening;
  opening.key = &key;
  reader in{directory / "file", opening};
  expect_all_in_both_processes([&] { return text_of(in.view(plain.size() + 1)) == plain; });
}

INSTANTIATE_TEST_SUITE_P(all, reading_elsewhere, testing::ValuesIn(test::reading_methods),
                         [](const auto& which) { return std::string{which.param}; });

}  // namespace
}  // namespace freshet
