// Profiles that earlier versions of freshet wrote keep their meaning, and what this version writes, they can read.
#include <gmock/gmock.h>

#include <freshet/profile.hpp>

#include "src/profile/profile_text.hpp"
#include "tests/support/profile_sample.hpp"

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

// It was written before there were figures: its methods are no orders, and their speed is what `slowest_expected` says.
TEST(profile_1, has_no_figures_if_it_was_written_without) {
  const profile measured = read_profile(FRESHET_TESTS "/src/profile/samples/profile-1-slowest.toml");
  EXPECT_THAT(measured.warnings, testing::IsEmpty());
  const file_system_profile& ext4 = measured.file_systems.at("ext4:0123456789abcdef");
  EXPECT_EQ(ext4.winners[0],
            (write_settings{.method = "uring", .block = 4U << 20, .depth = 2, .slowest_expected = 1410.25}));
  EXPECT_EQ(ext4.winners[1],
            (write_settings{.method = "adaptive", .provisional = "only 3 rounds", .slowest_expected = 512}));
  EXPECT_EQ(ext4.cold,
            (read_settings{.method = "uring", .block = 2U << 20, .depth = 4, .provisional = "only 3 rounds"}));
  for (const auto& winner : ext4.winners)
    EXPECT_TRUE(!winner || (!winner->fixed && winner->measured == measured_ways{}));
}

// earlier_library_test.sh gives the same file to the library before.
TEST(profile_1, is_written_with_figures) {
  file_system_profile entry = test::sample("ext4:0123456789abcdef");
  const auto figure = [](double rate, double spread) {
    return way_figure{.seconds_per_byte = 1e-6 / rate, .spread = spread, .bytes = std::uint64_t{3} << 30};
  };
  entry.winners[test::none]->provisional = "only 3 rounds";
  entry.winners[test::none]->slowest_expected = 1410.25;
  entry.winners[test::none]->measured = {.kept = figure(1605.25, 0.03),
                                         .behind = figure(1500, 0.125),
                                         .past = figure(2510, 0.5),
                                         .block = 4 << 20,
                                         .depth = 2};
  entry.winners[test::at_close]->fixed = true;
  entry.winners[test::each_write] = {.method = "adaptive", .measured = {.past = figure(0.75, 0)}};
  entry.cold->measured = {.kept = figure(812, 0.01), .past = figure(790, 0.04), .block = 2 << 20, .depth = 4};
  entry.cold->fixed = true;
  const std::string sample = FRESHET_TESTS "/src/profile/samples/profile-1-measured.toml";
  EXPECT_EQ(detail::merge_profile("", entry, "p"), test::text_of(sample));
  test::expect_same(read_profile(sample).file_systems.at(entry.key), entry);
}

}  // namespace
}  // namespace freshet
