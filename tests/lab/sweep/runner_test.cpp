// Trials of a sweep in this process: their output directories, and a strategy that fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "lab/ranks/ranks.hpp"
#include "lab/sweep/findings.hpp"
#include "lab/sweep/runner.hpp"
#include "lab/sweep/sweep.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/undisturbed.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using test::fault_injection;
using testing::HasSubstr;

void write_text(const fs::path& path) { std::ofstream{path} << "what a trial wrote"; }

TEST(trial_outputs, keep_emptied_files) {
  const test::temporary_directory place;
  trial_outputs outputs{place.path(), 100};
  const fs::path first = outputs.next(2);
  write_text(first / "a");
  write_text(first / "b");
  const fs::path second = outputs.next(2);
  EXPECT_NE(first, second);
  EXPECT_TRUE(fs::is_empty(second));
  EXPECT_EQ(fs::file_size(first / "a"), 0U);
  EXPECT_EQ(fs::file_size(first / "b"), 0U);
  EXPECT_FALSE(outputs.removed_shortly_before());
}

TEST(trial_outputs, remove_all_files_before_there_are_too_many) {
  const test::temporary_directory place;
  trial_outputs outputs{place.path(), 5};
  const fs::path first = outputs.next(2);
  write_text(first / "a");
  const fs::path second = outputs.next(3);
  EXPECT_FALSE(outputs.removed_shortly_before());
  const fs::path third = outputs.next(1);
  EXPECT_FALSE(fs::exists(first));
  EXPECT_FALSE(fs::exists(second));
  EXPECT_TRUE(fs::is_empty(third));
  EXPECT_TRUE(outputs.removed_shortly_before());
  const fs::path fourth = outputs.next(4);
  EXPECT_TRUE(fs::exists(third));
  EXPECT_TRUE(outputs.removed_shortly_before()) << "it was a moment ago";
}

TEST(trial_outputs, keep_at_least_one_trial) {
  const test::temporary_directory place;
  trial_outputs outputs{place.path(), 5};
  const fs::path first = outputs.next(10);
  EXPECT_TRUE(fs::exists(first));
  EXPECT_TRUE(fs::exists(outputs.next(10)));
  EXPECT_FALSE(fs::exists(first));
}

TEST(trial_outputs, name_a_directory_that_cannot_be_created) {
  const test::temporary_directory place;
  trial_outputs outputs{place / "none", 5};
  EXPECT_THAT([&] { static_cast<void>(outputs.next(1)); },
              testing::ThrowsMessage<std::exception>(HasSubstr("none/out-0")));
}

TEST(trial_outputs, are_bounded_by_free_space_and_memory) {
  EXPECT_EQ(most_emptied_files(0), 0U);
  EXPECT_EQ(most_emptied_files(std::uint64_t{16} << 20), 256U);
  EXPECT_EQ(most_emptied_files(std::uint64_t{1} << 50), 1'000'000U);
}

sweep_order order_in(const fs::path& directory) {
  sweep_order order;
  order.directory = directory;
  order.plan.corpora = {{"blocks", 2, 1500, 1000}};
  order.plan.strategies = {strategy::buffering, strategy::async};
  order.plan.work = {0};
  order.plan.rounds = 2;
  order.fits_scale = false;
  order.max_bytes = std::uint64_t{1} << 30;
  return order;
}

class failing_strategy : public testing::Test {
 protected:
  /// A sweep on a system without io_uring.
  sweep_result sweep_without_rings() {
    fault_injection faults;
    faults.fail_always(detail::os::call::queue_setup, std::errc::operation_not_permitted);
    return test::undisturbed([&] { return run_sweep(order_in(place_.path()), all_ranks(), {}); },
                             [](const sweep_result& result) { return test::is_spoilt(make_json(result).dump()); });
  }

  test::temporary_directory place_{test::undisturbed_place()};
};

TEST_F(failing_strategy, does_not_affect_other_strategies) {
  const sweep_result result = sweep_without_rings();
  ASSERT_EQ(result.trials.size(), 4U);
  for (const sweep_trial& each : result.trials) {
    EXPECT_EQ(has_failed(each), each.cell.how == strategy::async) << each.failure;
    EXPECT_EQ(find_exclusion_reasons(each).empty(), !has_failed(each));
  }
  EXPECT_EQ(compute_figures(result, {0, strategy::buffering, 1, 0}).valid, 2U);
  EXPECT_TRUE(fs::is_empty(place_.path()));
}

TEST_F(failing_strategy, is_reported_with_its_reason) {
  const sweep_result result = sweep_without_rings();
  const nlohmann::json json = make_json(result);
  for (const auto& each : json.at("trials")) {
    EXPECT_EQ(each.at("failure").is_null(), each.at("strategy") == "buffering");
    EXPECT_EQ(each.at("files_removed_shortly_before"), false);
  }
  EXPECT_EQ(json.at("cells").at(1).at("strategy"), "async");
  EXPECT_EQ(json.at("cells").at(1).at("failed"), 2);
  EXPECT_THAT(json.at("cells").at(1).at("failure"), HasSubstr("io_uring"));
}

}  // namespace
}  // namespace freshet::tool
