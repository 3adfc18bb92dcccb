// New hidden files where the file system has neither files without names nor links, as vfat.
#include <freshet/writer.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <system_error>

#include "tests/support/fault_injection.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing.hpp"

namespace freshet {
namespace {

using detail::os::call;

class names_without_links : public testing::Test {
 protected:
  // Opens a file that has a temporary name.
  writer open(test::fault_injection& faults, std::errc why) {
    faults.fail(call::open, 1, why);
    faults.fail_always(call::link, why);
    return writer{path_, {.mode = open_mode::create_new, .hidden_until_closed = true}};
  }
  [[nodiscard]] std::size_t entries() const { return test::entries_in(directory_.path()); }

  test::temporary_directory directory_;
  std::filesystem::path path_ = directory_ / "file";
};

TEST_F(names_without_links, are_given_by_a_rename) {
  for (const auto why :
       {std::errc::operation_not_permitted, std::errc::function_not_supported, std::errc::operation_not_supported}) {
    SCOPED_TRACE(std::make_error_code(why).message());
    std::filesystem::remove(path_);
    test::fault_injection faults;
    writer out = open(faults, why);
    out.write("new");
    out.close();
    EXPECT_EQ(test::content_of(path_), "new");
    EXPECT_EQ(entries(), 1U);
  }
}

TEST_F(names_without_links, replace_no_file) {
  test::fault_injection faults;
  writer out = open(faults, std::errc::operation_not_permitted);
  out.write("new");
  std::ofstream{path_} << "of another";
  std::error_code error;
  out.close(error);
  EXPECT_EQ(error, std::errc::file_exists);
  EXPECT_EQ(test::content_of(path_), "of another");
  EXPECT_EQ(entries(), 1U);
}

// Where it can be renamed neither, the reason is that of the call that should have named it.
TEST_F(names_without_links, leave_nothing_where_none_can_be_given) {
  for (const auto why : {std::errc::invalid_argument, std::errc::no_space_on_device}) {
    test::fault_injection faults;
    faults.fail_always(call::rename, why);
    writer out = open(faults, std::errc::operation_not_permitted);
    std::error_code error;
    out.close(error);
    EXPECT_EQ(error, why == std::errc::no_space_on_device ? why : std::errc::operation_not_permitted);
    EXPECT_EQ(entries(), 0U);
  }
}

}  // namespace
}  // namespace freshet
