// What a writer leaves that is killed, or whose machine loses its power, while its method changes at random.
#include <freshet/writer.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/forced_changes.hpp"
#include "tests/support/mounted_image.hpp"
#include "tests/support/soak.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/writing_child.hpp"

namespace freshet {
namespace {

using test::all_bytes;

constexpr std::uint64_t image_size = std::uint64_t{400} << 20;  // XFS takes no smaller ones

class changes_cut_short : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!mounted_.why_not().empty()) GTEST_SKIP() << GetParam() << ": " << mounted_.why_not();
    std::ignore = all_bytes();
    std::ignore = test::sample_seed();  // printed by this process, not by its children
  }

  // Calls `meanwhile` until the child has written some part of the file, in which the moment falls.
  template <typename Meanwhile>
  void wait_for_moment(test::writing_child& child, Meanwhile meanwhile) {
    const auto goal = std::uniform_int_distribution<std::uintmax_t>{1, all_bytes().size()}(random_);
    std::error_code missing;
    for (std::uintmax_t size = 0; !child.has_ended() && size < goal;) {
      meanwhile();
      size = std::filesystem::file_size(path_, missing);
      if (missing) size = 0;
    }
  }

  [[nodiscard]] writer_options options_for(std::size_t moment) const {
    constexpr std::array all{durability::none, durability::at_close, durability::each_write};
    return {.durability = all.at(moment % all.size())};
  }

  // Patterns that are multiples of 3 flush now and then.
  void cut_power_at_moments(const std::vector<unsigned>& patterns) {
    std::size_t found = 0;
    for (std::size_t moment = 0; moment < test::sample_size(30, 6); ++moment) {
      const unsigned pattern = patterns[moment % patterns.size()];
      SCOPED_TRACE(pattern);
      std::filesystem::remove(path_);
      cut_power_in(pattern, options_for(moment));
      ASSERT_TRUE(mounted_.mount_again()) << mounted_.why_not();
      const std::string left = test::content_of(path_);
      const std::size_t whole = test::first_difference(left);
      EXPECT_EQ(left.find_first_not_of('\0', whole), std::string::npos)
          << "bytes are missing from " << whole << " on, of " << left.size();
      if (!left.empty()) ++found;
    }
    EXPECT_GT(found, 0U) << "no file was left";
  }

  void cut_power_in(unsigned pattern, const writer_options& options) {
    test::writing_child child{path_, options, pattern};
    ASSERT_TRUE(child.started());
    // The journal is written when anybody syncs anything.
    const int other = ::open((mounted_.path() / "other").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    wait_for_moment(child, [&] { EXPECT_EQ(::pwrite(other, "x", 1, random_() % 4096) + ::fsync(other), 1); });
    ::close(other);
    ASSERT_TRUE(mounted_.cut_power()) << std::generic_category().message(errno);
  }

  test::temporary_directory directory_;
  test::mounted_image mounted_{directory_.path(), GetParam(), image_size};
  std::filesystem::path path_ = mounted_.path() / "file";
  std::mt19937 random_{static_cast<std::mt19937::result_type>(test::sample_seed())};
  const test::forced_changes force_{test::at_random};
};

TEST_P(changes_cut_short, by_a_kill_leave_a_prefix) {
  std::size_t cut_short = 0;
  for (unsigned moment = 0; moment < test::sample_size(50, 12); ++moment) {
    SCOPED_TRACE(moment);
    std::filesystem::remove(path_);
    test::writing_child child{path_, options_for(moment), moment};
    ASSERT_TRUE(child.started());
    wait_for_moment(child, [] {});
    child.kill_and_wait();
    EXPECT_TRUE(child.was_killed() || child.succeeded());
    const std::string left = test::content_of(path_);
    ASSERT_TRUE(std::string_view{all_bytes()}.starts_with(left)) << "of " << left.size() << " bytes";
    if (left.size() < all_bytes().size()) ++cut_short;
  }
  EXPECT_GT(cut_short, 0U) << "no kill fell into the writing";
}

// File systems themselves may let a file end in zeros, which belong to bytes that the page cache held; no byte may come
// after them.
TEST_P(changes_cut_short, by_the_power_leave_nothing_behind_a_hole) { cut_power_at_moments({1, 2, 4, 5}); }

TEST_P(changes_cut_short, by_the_power_leave_nothing_behind_a_hole_after_flushes) {
  cut_power_at_moments({0, 3, 6, 9});
}

INSTANTIATE_TEST_SUITE_P(all, changes_cut_short, testing::Values("ext4", "xfs"),
                         [](const auto& which) { return which.param; });

}  // namespace
}  // namespace freshet
