#include <freshet/error.hpp>

#include <gmock/gmock.h>

#include <filesystem>
#include <optional>
#include <string>

#include <freshet/version.hpp>

namespace freshet {
namespace {

TEST(errors, say_what_where_and_why) {
  const auto code = std::make_error_code(std::errc::no_space_on_device);
  EXPECT_STREQ((error{code, "write", "/a/b.txt", 4096, "detail"}).what(),
               "write '/a/b.txt' at offset 4096: No space left on device (detail)");
  EXPECT_STREQ((error{code, "open", "/a"}).what(), "open '/a': No space left on device");
  EXPECT_STREQ((error{code, "wait", {}}).what(), "wait: No space left on device");
  const error one{code, "write", "/a", 0};
  EXPECT_EQ(one.code(), code);
  EXPECT_EQ(one.operation(), "write");
  EXPECT_EQ(one.path(), "/a");
  EXPECT_EQ(one.offset(), 0U);
  EXPECT_STREQ(one.what(), "write '/a' at offset 0: No space left on device");
}

TEST(errors, are_copied_and_assigned_without_losing_what_they_say) {
  const auto code = std::make_error_code(std::errc::io_error);
  static_assert(std::is_nothrow_copy_constructible_v<error> && std::is_nothrow_copy_assignable_v<error>);
  std::optional<error> kept;
  {
    const error first{code, "read", "/a", 1};
    kept = first;
    kept = error{code, "write", "/b", 2};
    kept = *kept;
  }
  EXPECT_EQ(kept->what(), "write '/b' at offset 2: " + code.message());
  EXPECT_EQ(kept->path(), "/b");
}

TEST(versions, have_three_numbers) {
  EXPECT_THAT(std::string{version()}, testing::MatchesRegex("[0-9]+[.][0-9]+[.][0-9]+"));
}

}  // namespace
}  // namespace freshet
