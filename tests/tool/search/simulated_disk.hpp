// A disk that is only simulated, and what `tune` may ask of it.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "tests/support/made_up_trials.hpp"
#include "tool/search/tuning.hpp"

namespace freshet::tool {

inline constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

/// A disk that writes `rate` bytes per second, and `lost` of it less once `gigabytes` have been written.
struct disk {
  double rate = 2e9;
  double lost = 0;
  double gigabytes = 5;
  double clock = 0;
  double written = 0;
  std::vector<trial_result> trials = {};
  std::set<std::uint64_t> sizes_to_read = {};
  std::mt19937_64 random{1};
  double noise = 0.03;  // standard deviation of the logarithm of a trial's time

  trial_result run(const trial_plan& plan) {
    std::lognormal_distribution<double> luck{0, noise};
    const double now = written > gigabytes * 1e9 ? rate * (1 - lost) : rate;
    // Copying from memory is faster than reading the disk.
    const double slower = plan.measured_class == io_class::warm ? (plan.method == "buffered" ? 0.3 : 1)
                          : plan.method == "uring"              ? 1
                                                                : 1.5;
    trial_result done =
        test::make_trial(plan, static_cast<double>(plan.size) / now * slower * luck(random), 0, {.cpu = 0});
    clock += 0.1 + done.seconds_to_disk;
    if (!reads(plan.measured_class) || sizes_to_read.insert(plan.size).second) done.bytes_written = plan.size;
    written += static_cast<double>(done.bytes_written);
    trials.push_back(done);
    return done;
  }

  /// Seconds of all trials of that class.
  [[nodiscard]] double seconds_of(io_class measured_class) const {
    double sum = 0;
    for (const trial_result& trial : trials)
      if (trial.plan.measured_class == measured_class) sum += 0.1 + trial.seconds_to_disk;
    return sum;
  }

  [[nodiscard]] trial_source open() {
    return {.run = [this](const trial_plan& plan) { return run(plan); }, .now = [this] { return clock; }};
  }
};

// What programs get by themselves is as fast as `buffered`.
inline tune_setup three_methods() {
  return {.seeds = {{.method = "buffered", .block = mebibyte},
                    {.method = "uring", .block = 4 * mebibyte, .depth = 2},
                    {.method = "adaptive", .depth = 1}},
          .reading_seeds = {{.method = "buffered", .block = mebibyte / 4, .depth = 1},
                            {.method = "uring", .block = 4 * mebibyte, .depth = 2},
                            {.method = "adaptive", .depth = 1}},
          .past_cache = {"uring"},
          .asynchronous = {"uring"},
          .classes = {all_classes.begin(), all_classes.end()},
          .size = 512 * mebibyte,
          .seconds = usual_seconds(all_classes),
          .bytes = 64 * 1024 * mebibyte};
}

inline tune_setup with_time_left() {
  tune_setup setup = three_methods();
  setup.goes_on = true;
  return setup;
}

/// Programs whose profile takes them to `share` of the time that they take by themselves, and what they used.
struct with_profiles {
  disk& on;
  double share = 1 / 1.5;
  std::vector<file_system_profile> used = {};
  std::vector<trial_plan> tried = {};

  [[nodiscard]] trial_source open() {
    trial_source source = on.open();
    source.run = [this](const trial_plan& plan) {
      trial_result trial = on.run(plan);
      if (plan.prior == prior_state::none) return trial;
      tried.push_back(plan);
      EXPECT_FALSE(used.empty()) << "no profile is in use";
      trial.seconds_to_close = trial.seconds_to_disk *= share;
      return trial;
    };
    source.use_profile = [this](const file_system_profile& entry) { used.push_back(entry); };
    return source;
  }
};

}  // namespace freshet::tool
