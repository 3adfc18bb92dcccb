// Files that are deleted when they are closed, or after their program was killed.
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "tests/support/fault_injection.hpp"
#include "tests/support/mounted_image.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using detail::os::call;
using test::bytes_from;
using test::fault_injection;
using testing::HasSubstr;

constexpr std::string_view marker_prefix = ".freshet-delete.";

class deleted_files : public testing::Test {
 protected:
  [[nodiscard]] std::size_t entries() const { return test::entries_in(directory_.path()); }
  [[nodiscard]] std::filesystem::path marker_of(std::string_view name) const {
    return directory_ / (std::string{marker_prefix} + std::string{name});
  }
  [[nodiscard]] std::error_code failure_of(const std::filesystem::path& path) const {
    std::error_code failure;
    const writer refused{path, options_, failure};
    return failure;
  }

  // Runs `work` in a process that is killed when it waits; returns when it is dead.
  template <typename Work>
  void kill_after(Work work) {
    std::array<int, 2> ready{};
    ASSERT_EQ(::pipe2(ready.data(), O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        work([&] {
          if (::write(ready[1], "x", 1) == 1) ::pause();
        });
      } catch (...) {
      }
      ::_exit(1);
    }
    ::close(ready[1]);
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1) << "the process ended too early";
    ::close(ready[0]);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  void leave_behind(std::string_view name) {
    kill_after([&](auto wait) {
      writer out{directory_ / name, options_};
      out.write(bytes_from(0, 1000));
      out.flush();
      wait();
    });
  }

  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
  writer_options options_{.delete_on_close = true};
};

TEST_F(deleted_files, have_their_name_until_they_are_closed) {
  for (const auto mode : {open_mode::truncate, open_mode::create_new}) {
    options_.mode = mode;
    writer out{path_, options_};
    out.write(bytes_from(0, 300'000));
    out.flush();
    test::expect_prefix(path_, 300'000);
    out.close();
    EXPECT_EQ(entries(), 0U);
  }
}

TEST_F(deleted_files, are_deleted_by_destructors_and_streams) {
  {
    writer out{path_, options_};
    EXPECT_TRUE(std::filesystem::exists(path_));
    out.write("bytes");
  }
  EXPECT_EQ(entries(), 0U);
  {
    ofstream out{path_, options_};
    out << "bytes" << std::flush;
    EXPECT_EQ(test::content_of(path_), "bytes");
  }
  EXPECT_EQ(entries(), 0U);
  {
    fstream file{path_, std::ios_base::in | std::ios_base::out | std::ios_base::trunc, options_};
    ASSERT_TRUE(file.is_open());
    file << "bytes";
    file.seekg(0);
    std::string word;
    file >> word;
    EXPECT_EQ(word, "bytes");
  }
  EXPECT_EQ(entries(), 0U);
}

TEST_F(deleted_files, must_be_new) {
  std::ofstream{path_} << "before";
  EXPECT_EQ(failure_of(path_), std::errc::file_exists);
  EXPECT_EQ(test::content_of(path_), "before");
  EXPECT_EQ(entries(), 1U);
  std::filesystem::remove(path_);
  std::filesystem::create_symlink(directory_ / "other", path_);
  EXPECT_EQ(failure_of(path_), std::errc::file_exists);
  EXPECT_EQ(entries(), 1U);
}

TEST_F(deleted_files, stay_where_another_program_replaced_or_renamed_them) {
  {
    const writer out{path_, options_};
    std::ofstream{directory_ / "other"} << "other";
    std::filesystem::rename(directory_ / "other", path_);
  }
  EXPECT_EQ(test::content_of(path_), "other");
  EXPECT_EQ(entries(), 1U);
  std::filesystem::remove(path_);
  {
    const writer out{path_, options_};
    std::filesystem::rename(path_, directory_ / "kept");
  }
  EXPECT_TRUE(std::filesystem::exists(directory_ / "kept"));
  EXPECT_EQ(entries(), 1U);
  std::filesystem::remove(directory_ / "kept");
  {
    const writer out{path_, options_};
    std::filesystem::remove(path_);
  }
  EXPECT_EQ(entries(), 0U);
}

TEST_F(deleted_files, of_killed_programs_are_deleted_by_the_next) {
  leave_behind("first");
  leave_behind("second");
  // The second one deleted the first.
  EXPECT_FALSE(std::filesystem::exists(directory_ / "first"));
  EXPECT_TRUE(std::filesystem::exists(directory_ / "second"));
  EXPECT_EQ(entries(), 2U);
  writer{path_, options_}.close();
  EXPECT_EQ(entries(), 0U);
}

TEST_F(deleted_files, of_killed_programs_give_their_name_back) {
  leave_behind("file");
  writer out{path_, options_};
  out.write("new");
  out.flush();
  EXPECT_EQ(test::content_of(path_), "new");
  out.close();
  EXPECT_EQ(entries(), 0U);
}

TEST_F(deleted_files, of_programs_that_run_stay) {
  writer one{path_, options_};
  one.write("one");
  one.flush();
  writer{directory_ / "other", options_}.close();
  EXPECT_EQ(test::content_of(path_), "one");
  std::filesystem::remove(path_);
  EXPECT_EQ(failure_of(path_), std::errc::device_or_resource_busy) << "its marker is another program's";
  one.close();
  EXPECT_EQ(entries(), 0U);
}

TEST_F(deleted_files, of_killed_programs_stay_where_others_took_or_renamed_them) {
  leave_behind("file");
  std::ofstream{directory_ / "other"} << "other";
  std::filesystem::rename(directory_ / "other", path_);
  writer{directory_ / "next", options_}.close();
  EXPECT_EQ(test::content_of(path_), "other");
  EXPECT_EQ(entries(), 1U);
  std::filesystem::remove(path_);

  leave_behind("file");
  std::filesystem::rename(path_, directory_ / "kept");
  writer{directory_ / "next", options_}.close();
  EXPECT_TRUE(std::filesystem::exists(directory_ / "kept"));
  EXPECT_EQ(entries(), 1U);
}

TEST_F(deleted_files, are_not_what_only_looks_like_a_marker) {
  std::ofstream{marker_of("alone")} << "no second name";
  std::filesystem::create_symlink(directory_ / "victim", marker_of("victim"));
  std::ofstream{directory_ / "victim"} << "victim";
  std::filesystem::create_directory(marker_of("directory"));
  writer{path_, options_}.close();
  EXPECT_EQ(test::content_of(directory_ / "victim"), "victim");
  EXPECT_TRUE(std::filesystem::is_directory(marker_of("directory")));
  EXPECT_TRUE(std::filesystem::is_symlink(marker_of("victim")));
}

TEST_F(deleted_files, are_the_parent_s_to_delete) {
  writer out{path_, options_};
  out.write("bytes");
  out.flush();
  for (const bool closes : {true, false}) {
    const pid_t child = ::fork();
    if (child == 0) {
      std::error_code failure;
      if (closes)
        out.close(failure);
      else
        out = {};
      ::_exit(failure ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(test::content_of(path_), "bytes");
  }
  // The children's ends did not release the lock either.
  writer{directory_ / "next", options_}.close();
  EXPECT_TRUE(std::filesystem::exists(path_));
  out.close();
  EXPECT_EQ(entries(), 0U);
}

// A kill between any two calls of opening and closing leaves nothing that the next file does not delete.
TEST_F(deleted_files, leave_nothing_for_ever_wherever_the_program_is_killed) {
  constexpr std::array kinds{call::open, call::lock, call::status, call::link, call::remove, call::close};
  std::size_t killed = 0;
  for (const call kind : kinds)
    for (std::uint64_t nth = 1; nth <= 6; ++nth) {
      const pid_t child = ::fork();
      if (child == 0) {
        class killer final : public detail::os::interceptor {
         public:
          killer(call kind, std::uint64_t nth) : kind_{kind}, left_{nth} {}
          std::error_code before(detail::os::intercepted_call& next) override {
            if (next.kind == kind_ && --left_ == 0) ::kill(::getpid(), SIGKILL);
            return {};
          }

         private:
          call kind_;
          std::uint64_t left_;
        } killing{kind, nth};
        detail::os::intercept(&killing);
        writer out{path_, options_};
        out.write("bytes");
        out.close();
        ::_exit(0);
      }
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      if (WIFSIGNALED(status)) ++killed;
      writer{directory_ / "next", options_}.close();
      EXPECT_EQ(entries(), 0U) << static_cast<int>(kind) << ' ' << nth;
    }
  EXPECT_GE(killed, kinds.size());
}

TEST_F(deleted_files, report_every_failure_and_leave_nothing_or_what_could_not_be_deleted) {
  for (const call kind : {call::open, call::open_directory, call::lock, call::link, call::status}) {
    SCOPED_TRACE(static_cast<int>(kind));
    fault_injection faults;
    faults.fail(kind, 1, std::errc::io_error);
    // The first directory is the file's; the second one is read for what others left.
    std::error_code failure;
    { const writer out{path_, options_, failure}; }
    EXPECT_EQ(failure, std::errc::io_error);
    EXPECT_EQ(entries(), 0U);
  }
  {
    fault_injection faults;
    writer out{path_, options_};
    faults.fail(call::remove, 1, std::errc::io_error);
    try {
      out.close();
      FAIL() << "the error was not reported";
    } catch (const error& caught) {
      EXPECT_EQ(caught.code(), std::errc::io_error);
      EXPECT_THAT(caught.what(), testing::AllOf(HasSubstr("delete"), HasSubstr(path_.native())));
    }
  }
  EXPECT_EQ(entries(), 2U) << "both names are there for the next file";
  writer{directory_ / "next", options_}.close();
  EXPECT_EQ(entries(), 0U);
}

TEST_F(deleted_files, need_hard_links) {
  for (const auto why : {std::errc::operation_not_permitted, std::errc::operation_not_supported}) {
    fault_injection faults;
    faults.fail_always(call::link, why);
    EXPECT_EQ(failure_of(path_), std::errc::operation_not_supported);
    EXPECT_EQ(entries(), 0U);
  }
}

TEST_F(deleted_files, need_a_name_that_is_not_too_long) {
  const std::string longest(255 - marker_prefix.size(), 'x');
  writer{directory_ / longest, options_}.close();
  EXPECT_EQ(failure_of(directory_ / (longest + 'x')), std::errc::filename_too_long);
  EXPECT_EQ(entries(), 0U);
}

TEST_F(deleted_files, mean_the_directory_that_they_were_opened_in) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory_.path());
  writer out{"relative", options_};
  std::filesystem::current_path(before);
  EXPECT_TRUE(std::filesystem::exists(directory_ / "relative"));
  out.close();
  EXPECT_EQ(entries(), 0U);
}

TEST_F(deleted_files, are_opened_by_many_processes_at_once) {
  constexpr int processes = 6;
  std::array<pid_t, processes> children{};
  for (int i = 0; i < processes; ++i) {
    children[static_cast<std::size_t>(i)] = ::fork();
    if (children[static_cast<std::size_t>(i)] != 0) continue;
    bool good = true;
    for (int round = 0; round < 60; ++round) {
      std::error_code failure;
      writer out{directory_ / std::to_string(i), options_, failure};
      good = good && !failure && std::filesystem::exists(directory_ / std::to_string(i));
      if (good) out.write("bytes", failure);
      if (good) out.close(failure);
      good = good && !failure;
    }
    ::_exit(good ? 0 : 1);
  }
  for (const pid_t each : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(each, &status, 0), each);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(entries(), 0U);
}

}  // namespace
}  // namespace freshet
