// Profiles that earlier versions of freshet wrote keep their meaning.
#include <gtest/gtest.h>

#include <freshet/profile.hpp>

namespace freshet {
namespace {

TEST(profile_1, has_every_choice) {
  const profile measured = read_profile(FRESHET_TESTS "/src/profile/samples/profile-1.toml");
  EXPECT_TRUE(measured.warnings.empty());
  ASSERT_TRUE(measured.file_systems.contains("ext4:0123456789abcdef"));
  const file_system_profile& ext4 = measured.file_systems.at("ext4:0123456789abcdef");
  EXPECT_EQ(ext4.type, "ext4");
  EXPECT_EQ(ext4.kernel, "6.18.44");
  EXPECT_EQ(ext4.measured, "2026-11-22T11:58:07Z");
  EXPECT_EQ(ext4.mount_options, "rw,relatime");
  EXPECT_EQ(ext4.size, 16U << 20);
  EXPECT_EQ(ext4.winners[0], (write_settings{.method = "libaio", .block = 4U << 20, .depth = 2}));
  EXPECT_FALSE(ext4.winners[1]);
  EXPECT_EQ(ext4.winners[2], (write_settings{.method = "uring", .block = 4U << 20, .depth = 2}));
  EXPECT_FALSE(ext4.cold);
  EXPECT_EQ(ext4.warm, (read_settings{.method = "direct", .block = 4U << 20, .depth = 1}));
}

}  // namespace
}  // namespace freshet
