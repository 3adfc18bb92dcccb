// What programs meet on Windows alone: sharing, names, long paths, modes of handles, appending, the cache.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

#include <freshet/error.hpp>
#include <freshet/reader.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include "src/os/directory.hpp"
#include "src/os/native_string.hpp"
#include "src/os/windows/handles.hpp"
#include "tests/support/writing.hpp"

namespace freshet::detail::os {
namespace {

// 日本語.txt
constexpr std::string_view japanese = "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e.txt";

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span{text}); }

class windows_files : public testing::Test {
 protected:
  file open(std::string_view name, const open_request& request = {.read = true}) {
    file opened = file::open(directory_ / name, request, error_);
    EXPECT_FALSE(error_) << error_.message();
    return opened;
  }

  std::string text_of(file& from) {
    std::array<std::byte, 100> into{};
    const std::size_t length = from.read_at(into, 0, error_);
    return {reinterpret_cast<const char*>(into.data()), length};
  }

  test::temporary_directory directory_;
  std::error_code error_;
};

TEST_F(windows_files, names_are_utf8_or_wide) {
  writer{to_utf8(directory_.path().native()) + "/" + std::string{japanese}}.write("text");
  const auto wide = directory_.path() / widen(japanese);
  EXPECT_TRUE(std::filesystem::exists(wide));
  EXPECT_EQ(reader{wide}.size(), 4U);
  EXPECT_EQ(reader{wide.native()}.size(), 4U);
  const auto names = directory::open(directory_.path(), error_).names(error_);
  ASSERT_EQ(names.size(), 1U);
  EXPECT_EQ(to_utf8(names.front()), japanese);
}

TEST_F(windows_files, messages_name_files_in_utf8) {
  const auto missing = directory_.path() / widen(japanese) / "file";
  try {
    reader{missing};
    FAIL() << "opened what is not there";
  } catch (const error& failure) {
    EXPECT_NE(std::string_view{failure.what()}.find(japanese), std::string_view::npos) << failure.what();
    EXPECT_EQ(failure.path(), missing);
    EXPECT_EQ(failure.code(), std::errc::no_such_file_or_directory);
  }
}

TEST_F(windows_files, paths_may_be_long) {
  std::filesystem::path path = directory_.path();
  for (int i = 0; i < 8; ++i) {
    path /= std::string(60, static_cast<char>('a' + i));
    std::filesystem::create_directory(LR"(\\?\)" + path.native());
  }
  ASSERT_GT(path.native().size(), 400U);
  for (const bool atomic : {false, true}) {
    writer out{path / "file", {.atomic = atomic}};
    out.write(atomic ? "longer" : "text");
    out.close();
    EXPECT_EQ(reader{path / "file"}.size(), atomic ? 6U : 4U);
  }
  ::DeleteFileW((LR"(\\?\)" + (path / "file").native()).c_str());
  for (; path != directory_.path(); path = path.parent_path()) ::RemoveDirectoryW((LR"(\\?\)" + path.native()).c_str());
}

TEST_F(windows_files, others_read_write_rename_and_delete_open_files) {
  writer out{directory_ / "f"};
  out.write("abc");
  out.flush();
  std::ifstream{directory_ / "f"};
  EXPECT_EQ(test::content_of(directory_ / "f"), "abc");
  os::rename(directory_ / "f", directory_ / "g", error_);
  EXPECT_FALSE(error_) << error_.message();
  out.write("def");
  out.close();
  EXPECT_EQ(test::content_of(directory_ / "g"), "abcdef");
}

TEST_F(windows_files, atomic_files_replace_those_that_others_read) {
  test::write_closed(directory_ / "f", "old", {});
  reader in{directory_ / "f"};
  test::write_closed(directory_ / "f", "new text", {.atomic = true});
  EXPECT_EQ(test::content_of(directory_ / "f"), "new text");
  EXPECT_EQ(in.size(), 3U);
}

TEST_F(windows_files, transfers_at_offsets_leave_the_position_alone) {
  file both = open("f");
  both.write(bytes_of("0123456789"), error_);
  both.set_position(3, error_);
  both.write_at(bytes_of("AB"), 6, error_);
  EXPECT_EQ(both.position(error_), 3U);
  std::array<std::byte, 4> into{};
  EXPECT_EQ(both.read_at(into, 0, error_), 4U);
  EXPECT_EQ(both.position(error_), 3U);
  both.write(bytes_of("xy"), error_);
  EXPECT_EQ(text_of(both), "012xy5AB89");
}

TEST_F(windows_files, appending_writers_do_not_overwrite_each_other) {
  const open_request append{.creation = open_request::disposition::create, .append = true};
  file one = open("f", append);
  file other = open("f", append);
  EXPECT_TRUE(one.appends());
  EXPECT_TRUE(one.is_writable());
  EXPECT_FALSE(one.is_readable());
  for (int i = 0; i < 3; ++i) {
    one.write(bytes_of("a"), error_);
    other.write(bytes_of("b"), error_);
    one.write_at(bytes_of("c"), 0, error_);
  }
  EXPECT_EQ(test::content_of(directory_ / "f"), "abcabcabc");
}

TEST_F(windows_files, handles_have_the_modes_that_were_asked_for) {
  EXPECT_EQ(modes_of(open("f").descriptor()) & FILE_WRITE_THROUGH, 0U);
  file durable = open("f", {.synchronous = true});
  EXPECT_NE(modes_of(durable.descriptor()) & FILE_WRITE_THROUGH, 0U);
  durable.set_direct(true, error_);
  EXPECT_FALSE(error_) << error_.message();
  EXPECT_TRUE(durable.is_direct());
  EXPECT_NE(modes_of(open("f", {.once = true}).descriptor()) & FILE_SEQUENTIAL_ONLY, 0U);
}

TEST_F(windows_files, a_writer_that_is_durable_at_each_write_writes_through) {
  writer out{directory_ / "f", {.durability = durability::each_write}};
  EXPECT_NE(modes_of(out.native_handle()) & FILE_WRITE_THROUGH, 0U);
}

TEST_F(windows_files, direct_transfers_need_no_other_way_to_be_seen) {
  file target = open("f");
  const std::vector<std::byte> page(4096, std::byte{'x'});
  alignas(4096) static std::array<std::byte, 4096> aligned;
  std::ranges::copy(page, aligned.begin());
  target.set_direct(true, error_);
  EXPECT_EQ(target.write_at(aligned, 0, error_), aligned.size()) << error_.message();
  target.set_direct(false, error_);
  EXPECT_FALSE(target.is_direct());
  EXPECT_EQ(target.write_at(bytes_of("end"), 4096, error_), 3U);
  EXPECT_EQ(test::content_of(directory_ / "f"), std::string(4096, 'x') + "end");
}

TEST_F(windows_files, files_are_deleted_when_they_are_closed) {
  writer out{directory_ / "f", {.delete_on_close = true}};
  out.write("text");
  out.flush();
  EXPECT_EQ(test::entries_in(directory_.path()), 1U);
  EXPECT_EQ(reader{directory_ / "f"}.size(), 4U);
  EXPECT_THROW((writer{directory_ / "f", {.delete_on_close = true}}), error);
  out.close();
  EXPECT_EQ(test::entries_in(directory_.path()), 0U);
}

TEST_F(windows_files, temporary_files_leave_nothing) {
  writer out{directory_.path(), {.temporary = true}};
  out.write(std::string(9 << 20, 'x'));
  out.flush();
  out.write("end");
  out.close();
  EXPECT_EQ(out.written_bytes(), (9U << 20) + 3);
  EXPECT_EQ(test::entries_in(directory_.path()), 0U);
}

// They cannot be opened a second time, to go past the cache.
TEST_F(windows_files, deleted_files_are_written_on_through_the_cache) {
  file target = open("f");
  os::remove(directory_ / "f", error_);
  EXPECT_FALSE(error_) << error_.message();
  target.set_direct(true, error_);
  if (error_) {
    EXPECT_EQ(error_, std::errc::operation_not_supported);
  }
  target.set_direct(false, error_);
  EXPECT_EQ(target.write_at(bytes_of("text"), 0, error_), 4U);
  EXPECT_EQ(text_of(target), "text");
}

TEST_F(windows_files, locks_leave_the_bytes_to_others) {
  const file locked = open("f");
  locked.lock(error_);
  EXPECT_FALSE(error_) << error_.message();
  file other = open("f", {.creation = open_request::disposition::existing, .read = true});
  EXPECT_EQ(other.write(bytes_of("text"), error_), 4U);
  other.lock(error_);
  EXPECT_EQ(error_, std::errc::operation_would_block);
}

TEST_F(windows_files, links_and_names_follow_the_open_directory) {
  const auto place = directory::open(directory_.path(), error_);
  const file target = place.open_file(L"one", {}, error_);
  place.link(target, L"one", L"two", error_);
  EXPECT_FALSE(error_) << error_.message();
  EXPECT_EQ(place.status_of(L"two", error_).links, 2U);
  place.link(target, L"one", L"two", error_);
  EXPECT_EQ(error_, std::errc::file_exists);
  place.remove(L"one", error_);
  EXPECT_FALSE(error_) << error_.message();
  place.rename(L"two", L"three", error_);
  EXPECT_FALSE(error_) << error_.message();
  EXPECT_TRUE(std::filesystem::exists(directory_ / "three"));
  const auto containing = directory::containing(target, {}, error_);
  EXPECT_TRUE(containing.is_open()) << error_.message();
}

TEST_F(windows_files, replaced_files_keep_their_attributes) {
  test::write_closed(directory_ / "f", "old", {});
  ASSERT_NE(::SetFileAttributesW((directory_ / "f").c_str(), FILE_ATTRIBUTE_NOT_CONTENT_INDEXED), 0);
  const DWORD before = ::GetFileAttributesW((directory_ / "f").c_str());
  test::write_closed(directory_ / "f", "new", {.hidden_until_closed = true});
  EXPECT_EQ(::GetFileAttributesW((directory_ / "f").c_str()), before);
}

TEST_F(windows_files, directories_are_no_files_to_write) {
  std::ignore = file::open(directory_.path(), {.creation = open_request::disposition::existing}, error_);
  EXPECT_EQ(error_, std::errc::is_a_directory) << error_.message();
  file listed = file::open_existing(directory_.path(), error_);
  EXPECT_FALSE(error_) << error_.message();
  EXPECT_EQ(listed.status(error_).kind, file_kind::directory);
  std::array<std::byte, 10> into{};
  listed.read(into, error_);
  EXPECT_EQ(error_, std::errc::is_a_directory);
}

TEST_F(windows_files, pipes_have_no_positions) {
  HANDLE ends[2];
  ASSERT_NE(::CreatePipe(&ends[0], &ends[1], nullptr, 0), 0);
  file to = file::wrap(ends[1], true);
  EXPECT_EQ(to.status(error_).kind, file_kind::pipe);
  EXPECT_EQ(to.write_at(bytes_of("text"), 0, error_), 0U);
  EXPECT_EQ(error_, std::errc::invalid_seek);
  std::thread writing{[&] {
    writer out = writer::on_descriptor(ends[1], ownership::borrow);
    out.write("from the other thread");
    out.close();
    std::error_code ignored;
    to.close(ignored);
  }};
  reader in = reader::on_descriptor(ends[0], ownership::take);
  std::string got(100, ' ');
  got.resize(in.read(std::as_writable_bytes(std::span{got})));
  writing.join();
  EXPECT_EQ(got, "from the other thread");
}

TEST_F(windows_files, devices_are_devices) {
  file nowhere = file::open(L"NUL", {}, error_);
  EXPECT_FALSE(error_) << error_.message();
  EXPECT_EQ(nowhere.status(error_).kind, file_kind::character_device);
  writer{"NUL"}.write("text");
}

}  // namespace
}  // namespace freshet::detail::os
