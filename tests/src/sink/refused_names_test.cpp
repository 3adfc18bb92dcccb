// Hidden and temporary files where the system lacks files without names, or could not name them in the end.
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>

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

// The attempt at opening is the first call that asks for a status, and the second one where there is no /proc.
TEST_F(refused_names, hidden_files_have_a_name_where_they_could_get_none_in_the_end) {
  for (const auto why : refusals)
    for (const writer_options& options : {writer_options{.hidden_until_closed = true}, writer_options{.atomic = true},
                                          writer_options{.mode = open_mode::create_new, .hidden_until_closed = true}}) {
      SCOPED_TRACE(std::make_error_code(why).message());
      std::filesystem::remove(path_);
      fault_injection faults;
      const bool lacks_proc = why == std::errc::no_such_file_or_directory || why == std::errc::permission_denied;
      faults.fail(call::status, 1, lacks_proc ? 2 : 1, why);
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
                                 faults.fail(call::status, 2, std::errc::no_such_file_or_directory);
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

// Daemons open their files before they change their root.
TEST_F(refused_names, a_file_is_named_after_proc_is_gone) {
  const auto answer = test::ask_confined([] { return std::string{}; },
                                         [&] {
                                           writer out{path_, {.atomic = true}};
                                           out.write("new");
                                           if (!test::enter_root(directory_.path()).empty()) return;
                                           std::error_code failure;
                                           out.close(failure);
                                           // Before Linux 6.10 the file is lost, with an error.
                                           expect(!failure || entries() == 0, "left");
                                         });
  EXPECT_EQ(answer.complaint, "");
}

}  // namespace
}  // namespace freshet
