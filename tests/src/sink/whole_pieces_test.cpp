// Where others may write, too, a piece that the program hands over in one call reaches the system whole: files opened
// to append, pipes, and files whose position is shared.
#include <freshet/profile.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "src/os/file.hpp"
#include "src/profile/profile_lookup.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/file_content.hpp"
#include "tests/support/known_bytes.hpp"
#include "tests/support/profile_sample.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using detail::os::call;

constexpr unsigned processes = 4;
constexpr unsigned lines_each = 100'000;

// A line that says which process wrote it, and is as long as its number says.
std::string line_of(unsigned process, unsigned number) {
  const auto letter = static_cast<char>(0x61U + process);
  return std::string(std::size_t{75} + number % 26, letter) + '\n';
}

bool is_whole(const std::string& line) {
  return line.size() >= 75 && line.size() <= 100 && line.find_first_not_of(line[0]) == std::string::npos;
}

// How many lines are torn, of those that all processes wrote.
std::size_t count_torn(std::istream& in, std::size_t& lines) {
  std::size_t torn = 0;
  for (std::string line; std::getline(in, line); ++lines) torn += is_whole(line) ? 0U : 1U;
  return torn;
}

class whole_pieces : public testing::Test {
 protected:
  // Starts processes that write their lines, each by `write_lines(process)`. None is started beside another thread,
  // whose locks of memory it would inherit from a sanitizer.
  static std::vector<pid_t> start_processes(const std::function<bool(unsigned)>& write_lines) {
    std::vector<pid_t> children;
    for (unsigned process = 0; process < processes; ++process) {
      children.push_back(::fork());
      if (children.back() == 0) ::_exit(write_lines(process) ? 0 : 1);
    }
    return children;
  }

  static void expect_success(const std::vector<pid_t>& children) {
    for (const pid_t child : children) {
      int status = -1;
      EXPECT_EQ(::waitpid(child, &status, 0), child);
      EXPECT_EQ(status, 0);
    }
  }

  static void write_by_processes(const std::function<bool(unsigned)>& write_lines) {
    expect_success(start_processes(write_lines));
  }

  template <typename Out>
  static bool write_lines(Out& out, unsigned process) {
    for (unsigned number = 0; number < lines_each; ++number) {
      const std::string line = line_of(process, number);
      if constexpr (std::is_same_v<Out, writer>)
        out.write(line);
      else
        out << line;
      out.flush();
    }
    out.close();
    if constexpr (std::is_same_v<Out, writer>)
      return true;
    else
      return out.good();
  }

  void expect_whole_lines(std::istream& in) {
    std::size_t lines = 0;
    EXPECT_EQ(count_torn(in, lines), 0U);
    EXPECT_EQ(lines, processes * lines_each);
  }

  test::temporary_directory directory_{test::memory_place()};
  std::filesystem::path path_ = directory_ / "file";
};

TEST_F(whole_pieces, of_streams_that_append) {
  write_by_processes([&](unsigned process) {
    ofstream out{path_, std::ios::app};
    return write_lines(out, process);
  });
  std::ifstream in{path_};
  expect_whole_lines(in);
}

TEST_F(whole_pieces, of_writers_that_append) {
  write_by_processes([&](unsigned process) {
    writer out{path_, {.mode = open_mode::append}};
    return write_lines(out, process);
  });
  std::ifstream in{path_};
  expect_whole_lines(in);
}

TEST_F(whole_pieces, of_a_fifo) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  const std::vector<pid_t> writers = start_processes([&](unsigned process) {
    ofstream out{path_};
    return write_lines(out, process);
  });
  std::ifstream in{path_};
  expect_whole_lines(in);
  expect_success(writers);
}

// Its methods are for files: a FIFO takes none of them.
TEST_F(whole_pieces, of_a_fifo_in_a_file_system_with_a_profile) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  std::error_code error;
  file_system_profile profile;
  profile.key = detail::os::file_system_key(detail::os::file::open_existing(directory_.path(), error));
  for (auto& winner : profile.winners) winner = write_settings{.method = "uring"};
  save_profile(directory_ / "profile", profile);
  const test::environment_variable chosen{"FRESHET_PROFILE", directory_ / "profile"};
  detail::forget_profiles();
  const std::string bytes = test::bytes_from(0, 3'000'000);
  std::string got;
  std::thread reader{[&] { got = test::text_of(path_); }};
  {
    writer out{path_};
    out.write(bytes);
    out.close(error);
  }
  reader.join();
  detail::forget_profiles();
  EXPECT_FALSE(error) << error.message();
  EXPECT_TRUE(got == bytes);
}

TEST_F(whole_pieces, of_a_stream_that_children_inherit) {
  ofstream out{path_};
  out << line_of(0, 0) << std::flush;
  write_by_processes([&](unsigned process) { return write_lines(out, process); });
  out.close();
  std::ifstream in{path_};
  std::size_t lines = 0;
  EXPECT_EQ(count_torn(in, lines), 0U);
  EXPECT_EQ(lines, 1 + processes * lines_each);
}

// Each call ends where a piece does, and there are no more of them than blocks.
void expect_whole_calls(const test::fault_injection& calls, std::size_t piece, std::size_t total, std::size_t block) {
  std::size_t written = 0;
  for (const auto& each : calls.seen(call::write)) {
    EXPECT_EQ(each.length % piece, 0U) << "pieces of " << piece;
    written += each.length;
  }
  EXPECT_EQ(written, total);
  EXPECT_EQ(calls.count(call::write_at), 0U);
  // The block grows from 8 KiB, and its last piece may be the first that fits no more.
  EXPECT_LE(calls.count(call::write), total / std::max(piece, block) + 3) << "pieces of " << piece;
}

TEST_F(whole_pieces, take_few_calls) {
  constexpr std::size_t block = std::size_t{256} << 10;
  for (const std::size_t piece :
       {std::size_t{1}, std::size_t{7}, std::size_t{100}, std::size_t{4096}, std::size_t{5000}, std::size_t{65'537},
        block - 1, block, block + 1, std::size_t{300'000}, std::size_t{1'000'000}, std::size_t{8} << 20}) {
    const std::string bytes = test::bytes_from(0, piece);
    const std::size_t pieces = std::max<std::size_t>(3, (std::size_t{2} << 20) / piece);
    const auto path = directory_ / std::to_string(piece);
    test::fault_injection calls;
    ofstream out{path, std::ios::app};
    for (std::size_t i = 0; i < pieces; ++i) out << bytes;
    out.close();
    EXPECT_TRUE(out);
    expect_whole_calls(calls, piece, piece * pieces, block);
    EXPECT_EQ(std::filesystem::file_size(path), piece * pieces);
  }
}

// A record that is flushed is one call, whatever its size.
TEST_F(whole_pieces, that_are_flushed_are_one_call_each) {
  for (const std::size_t record :
       {std::size_t{1}, std::size_t{80}, std::size_t{100'000}, std::size_t{262'143}, std::size_t{262'144},
        std::size_t{300'000}, std::size_t{1'000'000}, std::size_t{8} << 20}) {
    const std::string bytes = test::bytes_from(0, record);
    const auto path = directory_ / std::to_string(record);
    test::fault_injection calls;
    writer out{path, {.mode = open_mode::append}};
    constexpr unsigned records = 20;
    for (unsigned i = 0; i < records; ++i) {
      out.write(bytes);
      out.flush();
    }
    out.close();
    EXPECT_EQ(calls.count(call::write), records) << "records of " << record;
    for (const auto& each : calls.seen(call::write)) EXPECT_EQ(each.length, record);
  }
}

// Random pieces, some flushed, some put one character at a time, with calls cut short and interrupted.
TEST_F(whole_pieces, arrive_in_order_whatever_the_system_does) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random{seed};
  for (int round = 0; round < 20; ++round) {
    const auto path = directory_ / std::to_string(round);
    std::string expected;
    test::fault_injection faults{random()};
    faults.shorten_sometimes(call::write, 0.3);
    faults.fail_sometimes(call::write, 0.2, std::errc::interrupted);
    writer out{path, {.mode = open_mode::append}};
    while (expected.size() < 2'000'000) {
      const std::size_t longest = std::size_t{1} << random() % 20;
      const std::string bytes = test::bytes_from(expected.size(), 1 + random() % longest);
      out.write(bytes);
      expected += bytes;
      if (random() % 8 == 0) out.flush();
    }
    out.close();
    EXPECT_EQ(out.written_bytes(), expected.size());
    EXPECT_TRUE(test::content_of(path) == expected);
  }
}

TEST_F(whole_pieces, of_limited_or_durable_files_keep_to_their_blocks) {
  const std::string bytes = test::bytes_from(0, 3'000'000);
  const writer_options limited{.block = 64 << 10, .rate_limit = std::uint64_t{1} << 40, .mode = open_mode::append};
  const writer_options durable{.block = 64 << 10, .durability = durability::each_write, .mode = open_mode::append};
  for (const writer_options& options : {limited, durable}) {
    std::filesystem::remove(path_);
    test::fault_injection calls;
    writer out{path_, options};
    out.write(bytes);
    out.close();
    std::size_t written = 0;
    for (const auto& each : calls.seen(call::write)) {
      written += each.length;
      EXPECT_TRUE(written % (64 << 10) == 0 || written == bytes.size()) << written;
    }
    EXPECT_TRUE(test::content_of(path_) == bytes);
  }
}

TEST_F(whole_pieces, that_cannot_be_written_are_reported_with_what_was) {
  ofstream out{path_, std::ios::app};
  out << "12345" << std::flush;
  {
    test::fault_injection faults;
    faults.shorten(call::write, 1, 1'000);
    faults.fail(call::write, 2, std::errc::no_space_on_device);
    out << test::bytes_from(0, 1'000'000);
    EXPECT_FALSE(out);
  }
  EXPECT_EQ(out.last_error()->code(), std::errc::no_space_on_device);
  out.close();
  EXPECT_EQ(std::filesystem::file_size(path_), 1'005U);
}

}  // namespace
}  // namespace freshet
