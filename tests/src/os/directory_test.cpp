#include "src/os/directory.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "src/os/file.hpp"
#include "tests/support/ordinary_user.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet::detail::os {
namespace {

class os_directory : public testing::Test {
 protected:
  directory open(const std::filesystem::path& path) { return directory::open(path, error_); }
  void create(const directory& parent, const std::string& name) {
    EXPECT_TRUE(parent.open_file(name, {}, error_).is_open()) << error_.message();
  }

  test::temporary_directory scratch_;
  const std::filesystem::path path_ = scratch_ / "directory";
  std::error_code error_;
};

TEST_F(os_directory, finds_its_entries_after_it_was_renamed) {
  std::filesystem::create_directory(path_);
  const auto opened = open(path_);
  std::filesystem::rename(path_, scratch_ / "elsewhere");
  create(opened, "one");
  EXPECT_TRUE(std::filesystem::exists(scratch_ / "elsewhere" / "one"));
  opened.rename("one", "two", error_);
  EXPECT_FALSE(error_) << error_.message();
  EXPECT_TRUE(std::filesystem::exists(scratch_ / "elsewhere" / "two"));
  opened.sync(error_);
  EXPECT_FALSE(error_) << error_.message();
  opened.remove("two", error_);
  EXPECT_FALSE(error_) << error_.message();
  EXPECT_TRUE(std::filesystem::is_empty(scratch_ / "elsewhere"));
}

TEST_F(os_directory, links_an_unnamed_file_once) {
  const auto opened = open(scratch_.path());
  const auto unnamed = opened.open_file(".", {.creation = open_request::disposition::unnamed, .read = true}, error_);
  if (error_ == std::errc::operation_not_supported) GTEST_SKIP() << "the file system has no O_TMPFILE";
  ASSERT_TRUE(unnamed.is_open()) << error_.message();
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.path()));
  opened.link(unnamed, "", "name", error_);
  ASSERT_FALSE(error_) << error_.message();
  EXPECT_EQ(status_of(scratch_ / "name", error_).inode, unnamed.status(error_).inode);
  opened.link(unnamed, "", "name", error_);
  EXPECT_EQ(error_, std::errc::file_exists);
}

TEST_F(os_directory, of_an_open_file_is_the_one_that_contains_it_now) {
  std::filesystem::create_directory(path_);
  const auto file = file::open(path_ / "file", {}, error_);
  std::filesystem::rename(path_, scratch_ / "elsewhere");
  const auto containing = directory::containing(file, path_ / "file", error_);
  ASSERT_TRUE(containing.is_open()) << error_.message();
  create(containing, "beside");
  EXPECT_TRUE(std::filesystem::exists(scratch_ / "elsewhere" / "beside"));
}

TEST_F(os_directory, reports_what_cannot_be_opened) {
  EXPECT_FALSE(open(path_).is_open());
  EXPECT_EQ(error_, std::errc::no_such_file_or_directory);
  std::ofstream{path_} << 'x';
  EXPECT_FALSE(open(path_).is_open());
  EXPECT_EQ(error_, std::errc::not_a_directory);
  EXPECT_TRUE(open("").is_open()) << "the working directory";
}

TEST_F(os_directory, that_may_not_be_read_can_be_used_but_not_synced) {
  std::filesystem::permissions(scratch_.path(), std::filesystem::perms::all);
  const test::ordinary_user as_user;
  std::filesystem::create_directory(path_);
  ASSERT_EQ(::chmod(path_.c_str(), 0300), 0);
  const auto opened = open(path_);
  ASSERT_TRUE(opened.is_open()) << error_.message();
  create(opened, "file");
  opened.sync(error_);
  EXPECT_EQ(error_, std::errc::permission_denied);
  ::chmod(path_.c_str(), 0700);
}

}  // namespace
}  // namespace freshet::detail::os
