// How the seam opens files of Windows: paths and names of every form and length.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <freshet/reader.hpp>

#include "src/os/directory.hpp"
#include "src/os/queue.hpp"
#include "src/os/windows/handles.hpp"
#include "src/os/windows/paths.hpp"
#include "tests/support/writing.hpp"

namespace freshet::detail::os {
namespace {

class windows_handles : public testing::Test {
 protected:
  test::temporary_directory directory_;
  std::error_code error_;
};

// The system counts their bytes in 16 bits, by which these would be the names "aaa" and some other file.
TEST_F(windows_handles, longer_names_than_the_system_counts_are_refused) {
  const std::wstring name(32768 + 3, L'a');
  const auto place = directory::open(directory_.path(), error_);
  EXPECT_FALSE(place.open_file(name, {}, error_).is_open());
  EXPECT_EQ(error_, std::errc::filename_too_long) << error_.message();
  EXPECT_FALSE(file::open(directory_.path().native() + L'\\' + name, {}, error_).is_open());
  EXPECT_EQ(error_, std::errc::filename_too_long) << error_.message();
  EXPECT_EQ(test::entries_in(directory_.path()), 0U);
}

TEST_F(windows_handles, paths_may_be_relative_verbatim_of_a_device_or_of_a_server) {
  const std::wstring whole = (std::filesystem::absolute(directory_.path()) / "f").make_preferred().native();
  EXPECT_EQ(to_nt_path(whole, error_), LR"(\??\)" + whole);
  EXPECT_EQ(to_nt_path(LR"(\\?\)" + whole, error_), LR"(\??\)" + whole);
  EXPECT_EQ(to_nt_path(LR"(\\?\C:\a.\..)", error_), LR"(\??\C:\a.\..)");
  EXPECT_EQ(to_nt_path(LR"(C:\a. \..\f. )", error_), LR"(\??\C:\f)");
  EXPECT_EQ(to_nt_path(LR"(\\server\share/a\..\f)", error_), LR"(\??\UNC\server\share\f)");
  EXPECT_EQ(to_nt_path(LR"(\\.\pipe\f)", error_), LR"(\??\pipe\f)");
  EXPECT_EQ(to_nt_path(L"nul", error_), LR"(\??\nul)");
  EXPECT_EQ(to_nt_path(L"a/../f", error_), LR"(\??\)" + (std::filesystem::current_path() / "f").native());
  EXPECT_FALSE(error_) << error_.message();
  EXPECT_EQ(to_nt_path({}, error_), L"");
  EXPECT_EQ(error_, std::errc::no_such_file_or_directory);
  EXPECT_EQ(to_nt_path(std::wstring{L"a\0b", 3}, error_), L"");
  EXPECT_EQ(error_, std::errc::invalid_argument);
}

TEST_F(windows_handles, a_verbatim_path_is_opened) {
  test::write_closed(directory_ / "f", "text", {});
  const std::wstring whole = (std::filesystem::absolute(directory_.path()) / "f").make_preferred().native();
  EXPECT_EQ(reader{std::filesystem::path{LR"(\\?\)" + whole}}.size(), 4U);
}

// A hidden file gets its name as an entry of its directory, not by its path.
TEST_F(windows_handles, names_end_without_dots_and_spaces_whether_files_are_hidden_or_not) {
  for (const bool hidden : {false, true}) {
    test::write_closed(directory_ / "f. ", hidden ? "longer" : "text", {.hidden_until_closed = hidden});
    EXPECT_EQ(reader{directory_ / "f. "}.size(), hidden ? 6U : 4U);
  }
  const auto names = directory::open(directory_.path(), error_).names(error_);
  EXPECT_EQ(names, std::vector{std::wstring{L"f"}});
}

// The parent of a file in a drive's root directory looks like this, and is the volume.
TEST_F(windows_handles, a_drive_in_verbatim_form_is_its_root_directory) {
  const std::wstring drive = std::filesystem::current_path().root_name().native();
  const auto root = directory::open(LR"(\\?\)" + drive, error_);
  EXPECT_FALSE(error_) << error_.message();
  EXPECT_FALSE(root.names(error_).empty());
}

// As doc/reference/systems.md says where it compares them.
TEST_F(windows_handles, standard_streams_let_others_read_and_refuse_to_be_renamed) {
  std::ofstream out{directory_ / "f"};
  out << "text" << std::flush;
  EXPECT_EQ(reader{directory_ / "f"}.size(), 4U);
  os::rename(directory_ / "f", directory_ / "g", error_);
  EXPECT_EQ(error_, std::errc::device_or_resource_busy) << error_.message();
  out.close();
  os::rename(directory_ / "f", directory_ / "g", error_);
  EXPECT_FALSE(error_) << error_.message();
}

// Windows itself lets programs seek in them.
TEST_F(windows_handles, pipes_refuse_positions) {
  HANDLE ends[2];
  ASSERT_NE(::CreatePipe(&ends[0], &ends[1], nullptr, 0), 0);
  file from = file::wrap(ends[0], true);
  const file to = file::wrap(ends[1], true);
  static_cast<void>(to.position(error_));
  EXPECT_EQ(error_, std::errc::invalid_seek);
  from.set_position(0, error_);
  EXPECT_EQ(error_, std::errc::invalid_seek);
  std::array<std::byte, 1> into{};
  EXPECT_EQ(from.read_at(into, 0, error_), 0U);
  EXPECT_EQ(error_, std::errc::invalid_seek);
}

TEST_F(windows_handles, transfers_of_overlapped_handles_have_ended_when_they_return) {
  file both = file::wrap(::CreateFileW((directory_ / "f").c_str(), GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ,
                                       nullptr, CREATE_NEW, FILE_FLAG_OVERLAPPED, nullptr),
                         true);
  ASSERT_NE(both.descriptor(), INVALID_HANDLE_VALUE);
  const std::vector<std::byte> written(std::size_t{1} << 20, std::byte{'x'});
  EXPECT_EQ(both.write_at(written, 5, error_), written.size()) << error_.message();
  std::vector<std::byte> read(written.size());
  EXPECT_EQ(both.read_at(read, 5, error_), read.size()) << error_.message();
  EXPECT_EQ(read, written);
  EXPECT_EQ(both.read_at(read, 5 + written.size(), error_), 0U);
  EXPECT_FALSE(error_) << error_.message();
}

// By names that the standard library has for an error; where libstdc++'s own would have the library take a broken disk
// for a name that is taken, or for a transfer that must be aligned, by better ones.
TEST_F(windows_handles, errors_mean_what_they_mean_elsewhere) {
  const std::pair<DWORD, std::errc> meanings[]{
      {ERROR_FILE_NOT_FOUND, std::errc::no_such_file_or_directory},
      {ERROR_PATH_NOT_FOUND, std::errc::no_such_file_or_directory},
      {ERROR_ACCESS_DENIED, std::errc::permission_denied},
      {ERROR_ALREADY_EXISTS, std::errc::file_exists},
      {ERROR_DIRECTORY, std::errc::not_a_directory},
      {ERROR_DISK_FULL, std::errc::no_space_on_device},
      {1295, std::errc::no_space_on_device},  // ERROR_DISK_QUOTA_EXCEEDED
      {ERROR_FILE_TOO_LARGE, std::errc::file_too_large},
      {ERROR_FILENAME_EXCED_RANGE, std::errc::filename_too_long},
      {ERROR_INVALID_HANDLE, std::errc::bad_file_descriptor},
      {ERROR_SHARING_VIOLATION, std::errc::device_or_resource_busy},
      {ERROR_USER_MAPPED_FILE, std::errc::device_or_resource_busy},
      {ERROR_WRITE_PROTECT, std::errc::read_only_file_system},
      {ERROR_NOT_SAME_DEVICE, std::errc::cross_device_link},
      {ERROR_NOT_ENOUGH_MEMORY, std::errc::not_enough_memory},
      {ERROR_NOT_ENOUGH_QUOTA, std::errc::not_enough_memory},
      {ERROR_NO_SYSTEM_RESOURCES, std::errc::not_enough_memory},
      {ERROR_INVALID_FUNCTION, std::errc::operation_not_supported},
      {ERROR_NO_DATA, std::errc::broken_pipe},
      {ERROR_CRC, std::errc::io_error},
      {ERROR_FILE_CORRUPT, std::errc::io_error},
      {ERROR_NETNAME_DELETED, std::errc::io_error},
      {ERROR_SECTOR_NOT_FOUND, std::errc::io_error},
  };
  for (const auto& [number, meaning] : meanings) EXPECT_EQ(to_error(number), meaning) << number;
}

TEST_F(windows_handles, a_name_is_taken_until_its_deleted_file_is_closed) {
  file deleted = file::open(directory_ / "f", {.read = true, .delete_on_close = true}, error_);
  const file other = file::open_existing(directory_ / "f", error_);
  EXPECT_FALSE(error_) << error_.message();
  deleted.close(error_);
  const open_request new_file{.creation = open_request::disposition::create_new};
  EXPECT_FALSE(file::open(directory_ / "f", new_file, error_).is_open());
  EXPECT_EQ(error_, std::errc::file_exists) << error_.message();
}

// Microsoft's C library has none for what it does not report itself.
TEST_F(windows_handles, reasons_have_words) {
  EXPECT_EQ(explain_missing_queue(queue_kind::overlapped, std::make_error_code(std::errc::operation_not_supported)),
            "Operation not supported");
}

}  // namespace
}  // namespace freshet::detail::os
