// Hidden and temporary files where the system lacks files without names, or could not name them in the end.
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <tuple>
#include <vector>

#include "src/os/directory.hpp"
#include "tests/support/confined.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/ordinary_user.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using detail::os::call;
using test::bytes_from;
using test::fault_injection;

constexpr std::array refusals{std::errc::operation_not_supported, std::errc::function_not_supported,
                              std::errc::invalid_argument,        std::errc::is_a_directory,
                              std::errc::operation_not_permitted, std::errc::no_such_file_or_directory,
                              std::errc::permission_denied};

class refused_names : public testing::Test {
 protected:
  [[nodiscard]] std::size_t entries() const { return test::entries_in(directory_.path()); }

  // Writes a hidden file; returns whether it has a name while it is hidden.
  bool write_hidden(const writer_options& options) {
    const std::size_t before = entries();
    writer out{path_, options};
    out.write("new");
    out.flush();
    const bool is_named = entries() > before;
    out.close();
    EXPECT_EQ(test::content_of(path_), "new");
    EXPECT_EQ(entries(), 1U);
    return is_named;
  }

  // Where the system has no files without names, for the next file that is opened.
  template <typename Work>
  static void without_unnamed(Work work) {
    fault_injection faults;
    faults.fail(call::open, 1, std::errc::operation_not_supported);
    work();
  }

  [[nodiscard]] std::filesystem::path temporary(int number) const {
    return directory_ / (".freshet-0" + std::to_string(number) + ".tmp");
  }
  [[nodiscard]] bool are_removed() const {
    std::error_code error;
    return detail::os::directory::open(directory_.path(), error).is_local();
  }

  // Leaves files of a process that is killed while it writes them. It calls `before_end` before that.
  void leave_behind(
      int files, const std::function<void()>& before_end = [] {}) const {
    const pid_t child = ::fork();
    if (child == 0) {
      std::vector<writer> open;
      for (int i = 0; i < files; ++i)
        without_unnamed([&] {
          open.emplace_back(directory_ / ("left " + std::to_string(i)), writer_options{.hidden_until_closed = true});
          open.back().write("half");
          open.back().flush();
        });
      before_end();
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
  }

  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
};

TEST_F(refused_names, hidden_files_have_a_name_where_none_is_refused) {
  for (const auto why : refusals)
    for (const writer_options& options : {writer_options{.hidden_until_closed = true}, writer_options{.atomic = true},
                                          writer_options{.mode = open_mode::create_new, .hidden_until_closed = true}})
      for (const bool replaces : {false, true}) {
        SCOPED_TRACE(std::make_error_code(why).message());
        std::filesystem::remove(path_);
        if (replaces && options.mode == open_mode::create_new) continue;
        if (replaces) std::ofstream{path_} << "old";
        fault_injection faults;
        faults.fail(call::open, 1, why);
        EXPECT_TRUE(write_hidden(options));
      }
}

// The attempt at opening is the first call that asks for a status, and the second one where only /proc could help.
TEST_F(refused_names, hidden_files_have_a_name_where_they_could_get_none_in_the_end) {
  for (const auto why : refusals)
    for (const writer_options& options : {writer_options{.hidden_until_closed = true}, writer_options{.atomic = true},
                                          writer_options{.mode = open_mode::create_new, .hidden_until_closed = true}}) {
      SCOPED_TRACE(std::make_error_code(why).message());
      std::filesystem::remove(path_);
      fault_injection faults;
      const bool is_tried_again = why == std::errc::no_such_file_or_directory || why == std::errc::permission_denied ||
                                  why == std::errc::invalid_argument;
      faults.fail(call::status, 1, is_tried_again ? 2 : 1, why);
      EXPECT_TRUE(write_hidden(options));
    }
}

TEST_F(refused_names, temporary_files_have_one_for_a_moment) {
  for (const auto why : refusals) {
    fault_injection faults;
    faults.fail(call::open, 2, why);
    writer out{directory_.path(), {.temporary = true, .temporary_memory = 100'000}};
    out.write(bytes_from(0, 500'000));
    out.flush();
    EXPECT_EQ(entries(), 0U);
    out.close();
  }
}

TEST_F(refused_names, a_missing_or_closed_directory_is_an_error) {
  const auto failure_in = [](const std::filesystem::path& directory, const writer_options& options) {
    std::error_code failure;
    const writer refused{options.temporary ? directory : directory / "file", options, failure};
    return failure;
  };
  std::filesystem::permissions(directory_.path(), std::filesystem::perms::all);
  const test::ordinary_user as_user;
  const auto closed = directory_ / "closed";
  std::filesystem::create_directory(closed);
  ASSERT_EQ(::chmod(closed.c_str(), 0500), 0);
  for (const writer_options& options : {writer_options{.hidden_until_closed = true}, writer_options{.atomic = true},
                                        writer_options{.temporary = true, .temporary_memory = 0}}) {
    EXPECT_EQ(failure_in(directory_ / "none", options), std::errc::no_such_file_or_directory);
    EXPECT_EQ(failure_in(closed, options), std::errc::permission_denied);
  }
  ::chmod(closed.c_str(), 0700);
}

TEST_F(refused_names, files_of_killed_programs_are_removed_by_the_next) {
  if (!are_removed()) GTEST_SKIP() << "the file system of the tests is not this system's own";
  for (const writer_options& options : {writer_options{.hidden_until_closed = true}, writer_options{.atomic = true}}) {
    leave_behind(1);
    EXPECT_EQ(entries(), 1U);
    std::filesystem::remove(path_);
    without_unnamed([&] { write_hidden(options); });
    std::filesystem::remove(path_);
    EXPECT_EQ(entries(), 0U);
  }
  leave_behind(20);  // more than are looked for each time
  EXPECT_EQ(entries(), 20U);
  std::ofstream{directory_ / "other"} << "other";
  without_unnamed([&] {
    writer out{directory_.path(), {.temporary = true, .temporary_memory = 0}};
    out.write("bytes");
  });
  EXPECT_EQ(entries(), 1U);
  // Numbers below it are free again.
  std::filesystem::remove(directory_ / "other");
  leave_behind(5);
  for (const int number : {1, 2, 4}) std::filesystem::remove(temporary(number));
  EXPECT_EQ(entries(), 2U);
  without_unnamed([&] { write_hidden({.hidden_until_closed = true}); });
}

TEST_F(refused_names, files_of_living_programs_stay) {
  fault_injection faults;
  faults.fail(call::open, 1, std::errc::operation_not_supported);
  writer out{path_, {.hidden_until_closed = true}};
  out.write("mine");
  out.flush();
  ASSERT_EQ(entries(), 1U);
  faults.fail(call::open, faults.count(call::open) + 1, std::errc::operation_not_supported);
  writer{directory_ / "next", {.hidden_until_closed = true}}.close();
  EXPECT_EQ(entries(), 2U);
  out.close();
  EXPECT_EQ(test::content_of(path_), "mine");
  EXPECT_EQ(entries(), 2U);
}

// The child of a fork shares the file: it is not dead as long as the child has it open.
TEST_F(refused_names, files_of_killed_programs_stay_while_a_child_has_them) {
  if (!are_removed()) GTEST_SKIP() << "the file system of the tests is not this system's own";
  std::array<int, 2> last{};
  ASSERT_EQ(::pipe2(last.data(), O_CLOEXEC), 0);
  leave_behind(1, [&] {
    if (::fork() != 0) return;
    ::close(last[1]);
    char byte = 0;
    std::ignore = ::read(last[0], &byte, 1);  // until the test ends, or says so
    ::_exit(0);
  });
  without_unnamed([&] { writer{directory_ / "next", {.hidden_until_closed = true}}.close(); });
  EXPECT_EQ(entries(), 2U);
  for (const int end : last) ::close(end);
}

TEST_F(refused_names, a_file_that_has_its_name_is_not_locked_in_a_child) {
  for (const auto mode : {open_mode::truncate, open_mode::create_new}) {
    std::filesystem::remove(path_);
    fault_injection faults;
    faults.fail(call::open, 1, std::errc::operation_not_supported);
    writer out{path_, {.mode = mode, .hidden_until_closed = true}};
    std::array<int, 2> end{};
    ASSERT_EQ(::pipe2(end.data(), O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(end[1]);
      char byte = 0;
      ::_exit(::read(end[0], &byte, 1) == 0 ? 0 : 1);
    }
    out.close();
    EXPECT_EQ(entries(), 1U);
    std::error_code failure;
    const auto other = detail::os::file::open_existing(path_, failure);
    other.lock(failure);
    EXPECT_FALSE(failure) << failure.message();
    for (const int each : end) ::close(each);
    ::waitpid(child, nullptr, 0);
  }
}

TEST_F(refused_names, what_is_not_a_temporary_file_of_this_user_stays) {
  std::filesystem::create_directory(temporary(1));
  std::filesystem::create_symlink(directory_ / "target", temporary(2));
  std::ofstream{directory_ / "target"} << "target";
  for (const char* const name : {".freshet-1.tmp", ".freshet-0x.tmp", ".freshet-0.tmp", ".freshet-01.tmp2"})
    std::ofstream{directory_ / name} << "somebody's";
  if (::geteuid() == 0) {
    std::ofstream{temporary(3)} << "another user's";
    ASSERT_EQ(::chown(temporary(3).c_str(), 4321, 1234), 0);
  }
  const std::size_t before = entries();
  without_unnamed([&] { writer{path_, {.hidden_until_closed = true}}.close(); });
  EXPECT_EQ(entries(), before + 1);
  std::filesystem::remove(path_);
  if (!are_removed()) return;
  leave_behind(1);
  without_unnamed([&] { writer{path_, {.hidden_until_closed = true}}.close(); });
  EXPECT_EQ(entries(), before + 1);
}

TEST_F(refused_names, files_that_cannot_be_locked_have_names_that_nobody_removes) {
  for (const auto why : {std::errc::no_lock_available, std::errc::function_not_supported,
                         std::errc::operation_not_supported, std::errc::operation_not_permitted}) {
    fault_injection faults;
    faults.fail(call::open, 1, std::errc::operation_not_supported);
    faults.fail_always(call::lock, why);
    writer out{path_, {.hidden_until_closed = true}};
    out.write("mine");
    out.flush();
    EXPECT_EQ(entries(), 1U);
    for (int number = 1; number <= 9; ++number) EXPECT_FALSE(std::filesystem::exists(temporary(number)));
    {
      fault_injection other;
      other.fail(call::open, 1, std::errc::operation_not_supported);
      writer{directory_ / "next", {.hidden_until_closed = true}}.close();
    }
    EXPECT_EQ(entries(), 2U);
    out.close();
    EXPECT_EQ(test::content_of(path_), "mine");
    EXPECT_EQ(entries(), 2U);
    std::filesystem::remove(path_);
    std::filesystem::remove(directory_ / "next");
  }
}

// Each creates and locks while the others look for what was left.
TEST_F(refused_names, no_process_takes_the_file_of_another_for_one_that_was_left) {
  constexpr int processes = 6;
  constexpr int files = 150;
  std::array<pid_t, processes> children{};
  for (int i = 0; i < processes; ++i) {
    children[static_cast<std::size_t>(i)] = ::fork();
    if (children[static_cast<std::size_t>(i)] != 0) continue;
    bool good = true;
    for (int round = 0; round < files && good; ++round) {
      fault_injection faults;
      faults.fail(call::open, 1, std::errc::operation_not_supported);
      const auto path = directory_ / (std::to_string(i) + "." + std::to_string(round));
      std::error_code failure;
      writer out{path, {.hidden_until_closed = true}, failure};
      if (!failure) out.write(path.native(), failure);
      if (!failure) out.close(failure);
      good = !failure && test::content_of(path) == path.native();
    }
    ::_exit(good ? 0 : 1);
  }
  for (const pid_t each : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(each, &status, 0), each);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(entries(), std::size_t{processes * files});
}

void expect(bool is_right, const char* what) {
  if (!is_right) throw std::runtime_error{what};
}

TEST_F(refused_names, every_kind_of_file_does_without_proc) {
  const auto answer =
      test::ask_confined([&] { return test::enter_root(directory_.path()); },
                         [] {
                           for (const bool is_linked_by_name : {false, true})
                             for (const writer_options& options :
                                  {writer_options{.hidden_until_closed = true}, writer_options{.atomic = true},
                                   writer_options{.mode = open_mode::create_new, .atomic = true}}) {
                               fault_injection faults;
                               // As before Linux 6.10, without the privilege to link a descriptor.
                               if (is_linked_by_name)
                                 faults.fail(call::status, 1, std::errc::no_such_file_or_directory);
                               if (options.mode == open_mode::create_new) std::filesystem::remove("/file");
                               writer out{"/file", options};
                               out.write("new");
                               out.close();
                               expect(test::content_of("/file") == "new", "wrong content");
                               expect(test::entries_in("/") == 1, "a name is left");
                             }
                           std::filesystem::remove("/file");
                           {
                             writer out{"/deleted", {.delete_on_close = true}};
                             out.write("bytes");
                             out.flush();
                             expect(test::content_of("/deleted") == "bytes", "wrong content of the file to be deleted");
                             out.close();
                           }
                           writer out{"/", {.temporary = true, .temporary_memory = 1000}};
                           out.write(bytes_from(0, 500'000));
                           out.close();
                           expect(test::entries_in("/") == 0, "a file is left");
                         });
  if (!answer.why_not.empty()) GTEST_SKIP() << answer.why_not;
  EXPECT_EQ(answer.complaint, "");
  EXPECT_EQ(entries(), 0U);
}

// Daemons open their files before they change their root. Before Linux 6.10, and for who gets other rights by that, the
// file is lost, with an error.
TEST_F(refused_names, a_file_is_named_after_proc_is_gone_or_tells) {
  const auto answer = test::ask_confined([] { return std::string{}; },
                                         [&] {
                                           writer out{path_, {.atomic = true}};
                                           out.write("new");
                                           std::ignore = test::enter_root(directory_.path());
                                           out.close();
                                         });
  EXPECT_EQ(entries(), answer.complaint.empty() ? 1U : 0U) << answer.complaint;
  if (entries() == 1) {
    EXPECT_EQ(test::content_of(path_), "new");
  }
}

}  // namespace
}  // namespace freshet
