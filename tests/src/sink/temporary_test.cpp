// Temporary files: in memory, then in their directory, never under a name, gone in the end.
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "src/os/file.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using detail::os::call;
using test::bytes_from;
using test::fault_injection;
using testing::HasSubstr;

constexpr std::uint64_t KiB = 1024;
constexpr std::uint64_t limit = 256 * KiB;
constexpr auto both = std::ios_base::in | std::ios_base::out;

struct place {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const place&) const = default;
};

place place_of(int descriptor) {
  struct stat status {};
  EXPECT_EQ(::fstat(descriptor, &status), 0);
  return {status.st_dev, status.st_ino};
}

std::string read_back(int descriptor) {
  std::string content(
      static_cast<std::size_t>(std::filesystem::file_size("/proc/self/fd/" + std::to_string(descriptor))), '\0');
  EXPECT_EQ(::pread(descriptor, content.data(), content.size(), 0), static_cast<ssize_t>(content.size()));
  return content;
}

// Tells of every name that appears in a directory.
class name_watch {
 public:
  explicit name_watch(const std::filesystem::path& directory) {
    watch_ = ::inotify_add_watch(queue_, directory.c_str(), IN_CREATE | IN_MOVED_TO);
    EXPECT_GE(watch_, 0);
  }
  name_watch(const name_watch&) = delete;
  name_watch& operator=(const name_watch&) = delete;
  ~name_watch() { ::close(queue_); }
  [[nodiscard]] bool saw_any() const {
    std::array<char, 4096> events{};
    return ::read(queue_, events.data(), events.size()) > 0;
  }

 private:
  int queue_ = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  int watch_ = -1;
};

class temporary_files : public testing::Test {
 protected:
  [[nodiscard]] bool is_on_disk(int descriptor) const {
    struct stat directory {};
    EXPECT_EQ(::stat(directory_.path().c_str(), &directory), 0);
    return place_of(descriptor).device == directory.st_dev;
  }
  void expect_nothing_left() const {
    EXPECT_EQ(test::entries_in(directory_.path()), 0U);
    EXPECT_EQ(test::descriptors_in(directory_.path()), 0U);
  }

  test::temporary_directory directory_;
  writer_options options_{.temporary = true, .temporary_memory = limit};
};

TEST_F(temporary_files, stay_in_memory_up_to_their_limit) {
  fault_injection watch;
  writer out{directory_.path(), options_};
  const place before = place_of(out.native_handle());
  out.write(bytes_from(0, limit));
  out.flush();
  EXPECT_EQ(place_of(out.native_handle()), before);
  EXPECT_FALSE(is_on_disk(out.native_handle()));
  EXPECT_EQ(read_back(out.native_handle()), bytes_from(0, limit));
  EXPECT_EQ(watch.count(call::open), 1U) << "only the memory";
  out.write("x");
  out.flush();
  EXPECT_TRUE(is_on_disk(out.native_handle()));
  EXPECT_EQ(read_back(out.native_handle()), bytes_from(0, limit) + "x");
  out.close();
  EXPECT_EQ(out.written_bytes(), limit + 1);
  expect_nothing_left();
}

TEST_F(temporary_files, sync_writes_nothing_to_the_disk) {
  options_.temporary_memory = 1;
  fault_injection watch;
  writer out{directory_.path(), options_};
  out.write("bytes");
  out.sync();
  EXPECT_TRUE(is_on_disk(out.native_handle()));
  EXPECT_EQ(watch.count(call::sync_data) + watch.count(call::sync_file) + watch.count(call::sync_directory), 0U);
  EXPECT_EQ(out.durable_bytes(), 0U);
}

TEST_F(temporary_files, keep_their_descriptor_and_content_when_they_move) {
  for (const std::size_t piece : {1000UL, 64 * KiB, 65'537UL, 300'000UL, 2'000'000UL}) {
    SCOPED_TRACE(piece);
    writer out{directory_.path(), options_};
    const int descriptor = out.native_handle();
    while (out.tell() < 3'000'000) out.write(bytes_from(out.tell(), piece));
    out.flush();
    EXPECT_EQ(out.native_handle(), descriptor);
    EXPECT_TRUE(is_on_disk(descriptor));
    EXPECT_NE(::fcntl(descriptor, F_GETFD) & FD_CLOEXEC, 0);
    EXPECT_EQ(read_back(descriptor), bytes_from(0, out.tell()));
  }
  expect_nothing_left();
}

TEST_F(temporary_files, never_have_a_name) {
  const name_watch watch{directory_.path()};
  {
    writer out{directory_.path(), options_};
    out.write(bytes_from(0, 4 * limit));
    out.flush();
    EXPECT_EQ(test::entries_in(directory_.path()), 0U);
    out.close();
  }
  if (!watch.saw_any()) return;
  // Without O_TMPFILE, a name exists for a moment.
  EXPECT_LT(::open(directory_.path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), 0) << "it had a name";
}

TEST_F(temporary_files, lose_their_name_at_once_where_files_need_one) {
  fault_injection faults;
  faults.fail(call::open, 2, std::errc::operation_not_supported);
  writer out{directory_.path(), options_};
  out.write(bytes_from(0, 2 * limit));
  out.flush();
  EXPECT_EQ(faults.count(call::open), 3U);
  EXPECT_EQ(test::entries_in(directory_.path()), 0U);
  EXPECT_EQ(read_back(out.native_handle()), bytes_from(0, 2 * limit));
  out.close();
  expect_nothing_left();
}

TEST_F(temporary_files, begin_in_the_directory_without_memory) {
  for (const bool is_refused : {false, true}) {
    fault_injection faults;
    if (is_refused)
      faults.fail(call::open, 1, std::errc::function_not_supported);
    else
      options_.temporary_memory = 0;
    writer out{directory_.path(), options_};
    EXPECT_TRUE(is_on_disk(out.native_handle()));
    out.write("bytes");
    out.flush();
    EXPECT_EQ(read_back(out.native_handle()), "bytes");
    options_.temporary_memory = limit;
  }
  expect_nothing_left();
}

TEST_F(temporary_files, are_given_up_like_others) {
  for (const std::uint64_t length : {limit, 4 * limit}) {
    writer out{directory_.path(), options_};
    out.write(bytes_from(0, length));
    out.discard();
    EXPECT_FALSE(out.is_open());
    expect_nothing_left();
  }
}

TEST_F(temporary_files, reserve_space_where_it_will_be) {
  writer out{directory_.path(), options_};
  out.write("bytes");
  out.reserve(limit / 2);
  EXPECT_FALSE(is_on_disk(out.native_handle()));
  out.reserve(2 * limit);
  EXPECT_TRUE(is_on_disk(out.native_handle()));
  out.close();
}

TEST_F(temporary_files, need_a_directory) {
  const auto message = [&](const std::filesystem::path& path) {
    try {
      writer{path, options_};
    } catch (const error& caught) {
      return std::string{caught.what()};
    }
    return std::string{"opened"};
  };
  std::ofstream{directory_ / "file"} << "x";
  EXPECT_THAT(message(directory_ / "file"), testing::AllOf(HasSubstr("Not a directory"), HasSubstr("file")));
  EXPECT_THAT(message(directory_ / "none"), HasSubstr("No such file or directory"));
}

TEST_F(temporary_files, are_the_parent_s_to_move) {
  writer out{directory_.path(), options_};
  out.write(bytes_from(0, 1000));
  out.flush();
  const pid_t child = ::fork();
  if (child == 0) {
    std::error_code failure;
    out.write(bytes_from(1000, 2 * limit), failure);
    if (!failure) out.flush(failure);
    ::_exit(failure == std::errc::owner_dead ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  out.write(bytes_from(1000, 2 * limit));
  out.flush();
  EXPECT_EQ(read_back(out.native_handle()), bytes_from(0, 1000 + 2 * limit));
}

TEST_F(temporary_files, leave_nothing_when_their_program_is_killed) {
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe2(ready.data(), O_CLOEXEC), 0);
  for (const bool has_o_tmpfile : {true, false}) {
    const pid_t child = ::fork();
    if (child == 0) {
      fault_injection faults;
      if (!has_o_tmpfile) faults.fail(call::open, 2, std::errc::operation_not_supported);
      writer out{directory_.path(), options_};
      out.write(bytes_from(0, 3 * limit));
      out.flush();
      if (::write(ready[1], "x", 1) != 1) ::_exit(1);
      ::pause();
      ::_exit(0);
    }
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    EXPECT_EQ(test::entries_in(directory_.path()), 0U);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_EQ(test::entries_in(directory_.path()), 0U);
  }
  for (const int end : ready) ::close(end);
}

// Every call that moving needs, and every length about the limit.
TEST_F(temporary_files, report_every_failure_to_move_and_keep_what_they_have) {
  struct step {
    call kind;
    std::uint64_t nth;
  };
  for (const step each : {step{call::open, 2}, step{call::write_at, 1}, step{call::read_at, 1}, step{call::seek, 1},
                          step{call::duplicate, 1}})
    for (const auto why : {std::errc::no_space_on_device, std::errc::io_error}) {
      SCOPED_TRACE(testing::Message{} << static_cast<int>(each.kind) << ' ' << std::make_error_code(why).message());
      fault_injection faults;
      writer out{directory_.path(), options_};
      for (int i = 0; i < 4; ++i) {
        out.write(bytes_from(out.tell(), limit / 4));
        out.flush();
      }
      ASSERT_EQ(faults.count(call::write), 4U);
      faults.fail(each.kind, each.nth, why);
      std::error_code failure;
      std::string message;
      try {
        out.write("one too many");
        out.flush();
      } catch (const error& caught) {
        failure = caught.code();
        message = caught.what();
      }
      EXPECT_EQ(failure, why);
      EXPECT_THAT(message, testing::AllOf(HasSubstr(directory_.path().native()), HasSubstr("move"),
                                          HasSubstr(std::make_error_code(why).message())));
      EXPECT_EQ(out.last_error(), why) << "the first error sticks";
      EXPECT_EQ(out.written_bytes(), limit);
      EXPECT_EQ(read_back(out.native_handle()), bytes_from(0, limit));
      out.close(failure);
      EXPECT_EQ(failure, why);
      expect_nothing_left();
    }
}

TEST_F(temporary_files, move_at_every_boundary) {
  for (const std::uint64_t at : {1UL, 4095UL, 4096UL, 4097UL, 65'535UL, 65'536UL, 65'537UL, 131'072UL, 262'145UL})
    for (const std::uint64_t piece : {1UL, 4096UL, 100'000UL}) {
      options_.temporary_memory = at;
      writer out{directory_.path(), options_};
      out.write(bytes_from(0, at));
      out.flush();
      EXPECT_FALSE(is_on_disk(out.native_handle())) << at;
      out.write(bytes_from(at, piece));
      out.flush();
      EXPECT_TRUE(is_on_disk(out.native_handle())) << at;
      EXPECT_EQ(read_back(out.native_handle()), bytes_from(0, at + piece));
    }
}

TEST_F(temporary_files, are_written_and_read_back_by_fstream) {
  for (const auto mode : {both, both | std::ios_base::trunc})
    for (const std::uint64_t length : {5000UL, 200'000UL, 3'000'000UL}) {
      fstream file{directory_.path(), mode, options_};
      ASSERT_TRUE(file.is_open()) << file.last_error()->what();
      const int descriptor = file.rdbuf()->native_handle();
      for (std::uint64_t from = 0; from < length; from += 5000) file.write(bytes_from(from, 5000).data(), 5000);
      file.seekg(0);
      std::string content(length, '\0');
      file.read(content.data(), static_cast<std::streamsize>(length));
      EXPECT_EQ(test::first_difference(content), length);
      EXPECT_EQ(file.rdbuf()->native_handle(), descriptor);
      EXPECT_EQ(is_on_disk(descriptor), length > limit);
      EXPECT_EQ(file.peek(), EOF);
      EXPECT_TRUE(file.rdbuf()->close());
      expect_nothing_left();
    }
}

// A plain string is the model; most of the time the file crosses its limit somewhere.
TEST_F(temporary_files, of_fstream_hold_what_was_written_anywhere) {
  std::mt19937_64 random{test::sample_seed()};
  for (std::size_t round = 0; round < test::sample_size(200, 20); ++round) {
    options_.temporary_memory = std::uniform_int_distribution<std::uint64_t>{1, 100'000}(random);
    fstream file{directory_.path(), both, options_};
    std::string model;
    for (int step = 0; step < 60; ++step) {
      const auto position = std::uniform_int_distribution<std::size_t>{0, model.size()}(random);
      const auto length = std::uniform_int_distribution<std::size_t>{1, 9000}(random);
      if (random() % 3 == 0) {
        file.seekg(static_cast<std::streamoff>(position));
        std::string content(std::min(length, model.size() - position), '\0');
        file.read(content.data(), static_cast<std::streamsize>(content.size()));
        ASSERT_EQ(content, model.substr(position, length));
      } else {
        const std::string bytes = bytes_from(random() % 1000, length);
        file.seekp(static_cast<std::streamoff>(position));
        file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        model.replace(position, std::min(length, model.size() - position), bytes);
      }
      ASSERT_TRUE(file.good());
    }
    file.flush();
    EXPECT_EQ(read_back(file.rdbuf()->native_handle()), model);
    EXPECT_EQ(is_on_disk(file.rdbuf()->native_handle()), model.size() > options_.temporary_memory);
  }
}

TEST_F(temporary_files, of_streams_refuse_to_append) {
  fstream file{directory_.path(), both | std::ios_base::app, options_};
  EXPECT_FALSE(file.is_open());
  ASSERT_TRUE(file.last_error());
  EXPECT_THAT(file.last_error()->what(), HasSubstr("always new"));
}

}  // namespace
}  // namespace freshet
