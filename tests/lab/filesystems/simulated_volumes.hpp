// A machine on which volumes take as long as a test says, in no time.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lab/filesystems/volume_search.hpp"
#include "tests/support/made_up_trials.hpp"

namespace freshet::test {

inline constexpr double around_a_visit = 0.4;  // seconds

/// A machine whose trials take as long as `seconds_per_gb` says of a plan.
struct simulated_volumes {
  std::function<double(const tool::trial_plan&)> seconds_per_gb;
  double noise = 0.02;
  double clock = 0;
  std::uint64_t written = 0;
  std::mt19937_64 random{7};
  std::map<std::string, unsigned> visits = {};
  std::vector<tool::trial_result> kept = {};

  tool::visit run(const std::string& volume, std::span<const tool::trial_plan> plans) {
    ++visits[volume];
    clock += around_a_visit;
    tool::visit done{.times = {.mkfs = 0.2, .mount = 0.05, .umount = 0.15}, .trials = {}};
    for (const tool::trial_plan& plan : plans) {
      EXPECT_EQ(plan.volume, volume);
      const double gigabytes = static_cast<double>(plan.size) / 1e9;
      const double varied = std::exp(std::normal_distribution<double>{0, noise}(random));
      tool::trial_result trial =
          make_trial(plan, seconds_per_gb(plan) * gigabytes * varied, 0, {.cpu = 0.1 * gigabytes});
      clock += trial.seconds_to_disk;
      written += plan.size;
      done.trials.push_back(std::move(trial));
    }
    return done;
  }

  [[nodiscard]] tool::volume_source open() {
    return {.run = [this](const std::string& volume,
                          std::span<const tool::trial_plan> plans) { return run(volume, plans); },
            .now = [this] { return clock; },
            .written = [this] { return written; },
            .keep = [this](const tool::trial_result& trial, tool::trial_purpose,
                           const tool::visit_times&) { kept.push_back(trial); }};
  }
};

[[nodiscard]] inline tool::volume_search_setup usual_setup(tool::volume_goal goal = tool::volume_goal::large) {
  return {.goal = goal,
          .volumes = {"ext4", "xfs", "btrfs"},
          .methods = {"buffered", "direct"},
          .size = std::uint64_t{256} << 20,
          .seconds = 600,
          .bytes = std::uint64_t{1} << 40};
}

}  // namespace freshet::test
