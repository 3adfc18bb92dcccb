#include <freshet/path_argument.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <memory_resource>
#include <string>
#include <string_view>

#include <freshet/reader.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include "src/base/native_path.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet {
namespace {

std::filesystem::path path_from(const path_argument& argument) { return detail::native_path{argument}.get(); }

struct converts_to_path {
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator std::filesystem::path() const { return "converted"; }
};

TEST(path_arguments, convert_from_all_that_paths_convert_from) {
  const std::filesystem::path path = "folder/file";
  EXPECT_EQ(path_from(path), path);
  EXPECT_EQ(path_from("folder/file"), path);
  EXPECT_EQ(path_from(std::string{"folder/file"}), path);
  EXPECT_EQ(path_from(std::string_view{"folder/file"}), path);
  EXPECT_EQ(path_from(std::pmr::string{"folder/file"}), path);
  EXPECT_EQ(path_from(L"folder/file"), path);
  EXPECT_EQ(path_from(u8"folder/file"), path);
  EXPECT_EQ(path_from(std::filesystem::directory_entry{path}), path);
  EXPECT_EQ(path_from(converts_to_path{}), "converted");
  EXPECT_EQ(path_from({}), std::filesystem::path{});
}

TEST(path_arguments, refer_to_a_path_object_without_copying_it) {
  const std::filesystem::path path = "folder/file";
  const path_argument argument{path};
  EXPECT_EQ(argument.path(), &path);
  EXPECT_EQ(&detail::native_path{argument}.get(), &path.native());
}

TEST(path_arguments, open_files) {
  const test::temporary_directory directory;
  const std::string name = (directory.path() / "file").string();
  { writer{std::string_view{name}}.write("text"); }
  EXPECT_EQ(reader{name.c_str()}.size(), 4U);
  EXPECT_EQ(reader{std::filesystem::directory_entry{name}}.size(), 4U);
  EXPECT_TRUE((ofstream{std::string_view{name}, writer_options{}}.is_open()));
  EXPECT_TRUE(ifstream{std::filesystem::path{name}}.is_open());
}

}  // namespace
}  // namespace freshet
