// The sizes of tasks, which name groups of trials.
#include <gtest/gtest.h>

#include "tests/support/temporary_directory.hpp"
#include "tests/tool/store/store_sample.hpp"
#include "tool/store/store.hpp"

namespace freshet {
namespace {

TEST(sizes_of_tasks, are_those_of_the_trials_that_compete) {
  constexpr std::uint64_t mebibyte = 1 << 20;
  const test::temporary_directory directory;
  tool::store kept{directory / "trials.sqlite", tool::store::access::write};
  const std::int64_t id = kept.begin(test::sample_run());
  const auto add = [&](std::uint64_t size, const char* purpose) {
    tool::record trial = test::sample_record(id);
    trial.figures.plan.size = size;
    if (purpose != nullptr) trial.extra[purpose] = true;
    kept.add(trial);
  };
  add(16 * mebibyte, nullptr);
  add(64 * mebibyte, nullptr);
  for (const char* const purpose : {"warm_up", "diagnosis", "program"}) add(256 * mebibyte, purpose);
  const tool::task_sizes sizes = kept.sizes();
  ASSERT_EQ(sizes.size(), 1U);
  EXPECT_EQ(sizes.begin()->second, 64 * mebibyte);
}

}  // namespace
}  // namespace freshet
