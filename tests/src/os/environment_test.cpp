#include "src/os/environment.hpp"

#include <gtest/gtest.h>

namespace freshet::detail::os {
namespace {

TEST(is_release_at_least, compares_numbers) {
  for (const char* later : {"6.16", "6.16.0-amd64", "6.100.1", "7.0", "10.1-rc1"})
    EXPECT_TRUE(is_release_at_least(later, 6, 16)) << later;
  for (const char* earlier : {"6.15.9", "6.2", "5.19.0", "6.1.0-42-amd64"})
    EXPECT_FALSE(is_release_at_least(earlier, 6, 16)) << earlier;
}

TEST(is_release_at_least, accepts_nothing_else) {
  for (const char* other : {"", "6", "6.", ".16", "six.16", "-6.16", "99999999999.1", "6.x"})
    EXPECT_FALSE(is_release_at_least(other, 6, 16)) << other;
  EXPECT_TRUE(is_release_at_least(kernel_release(), 0, 1));
}

}  // namespace
}  // namespace freshet::detail::os
