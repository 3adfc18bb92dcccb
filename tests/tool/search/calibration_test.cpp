// Whether the limits of comparison.hpp keep what they promise, on the noise of trials that were really run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "tests/support/made_up_trials.hpp"
#include "tests/tool/search/kept_noise.hpp"
#include "tool/search/answer.hpp"
#include "tool/search/question.hpp"
#include "tool/search/racing.hpp"

namespace freshet::tool {
namespace {

constexpr std::uint64_t file_size = std::uint64_t{256} << 20;
constexpr std::size_t block_of_time = 24;  // trials that are drawn together, so that slow times stay slow times

/// A disk that gives plans the speeds they are said to have, with the noise of kept trials.
class noisy_disk {
 public:
  noisy_disk(std::span<const int> noise, std::uint64_t seed) : noise_{noise}, random_{seed} {}

  /// The seconds per GB of the plans "0", "1", … relative to one another, and to `adaptive`.
  std::vector<double> seconds = std::vector<double>(10, 1.0);

  trial_result run(const trial_plan& plan) {
    const double usual = 0.5 * static_cast<double>(plan.size) / 1e9;
    const double own = changes_method(plan) ? 1.0 : seconds.at(std::stoul(plan.method));
    clock_ += 0.2 + usual;
    return test::make_trial(plan, usual * own * std::exp(next_noise() / 1000.0), 0, {.cpu = 0.01});
  }

  [[nodiscard]] trial_source open() {
    return {.run = [this](const trial_plan& plan) { return run(plan); }, .now = [this] { return clock_; }};
  }

 private:
  double next_noise() {
    if (left_ == 0) {
      at_ = std::uniform_int_distribution<std::size_t>{0, noise_.size() - 1}(random_);
      left_ = block_of_time;
    }
    --left_;
    return noise_[at_++ % noise_.size()];
  }

  std::span<const int> noise_;
  std::mt19937_64 random_;
  double clock_ = 0;
  std::size_t at_ = 0;
  std::size_t left_ = 0;
};

race_result race_on(noisy_disk& disk, std::size_t plans, std::uint64_t seed, double rounds) {
  race_setup setup{.size = file_size, .least_size = file_size, .seed = seed};
  setup.smallest_block = setup.largest_block = std::size_t{1} << 20;
  std::vector<trial_plan> seeds;
  for (std::size_t i = 0; i < plans; ++i) seeds.push_back({.method = std::to_string(i), .block = setup.smallest_block});
  constexpr double seconds_of_a_trial = 0.2 + 0.5 * file_size / 1e9;
  budget left{.until = rounds * static_cast<double>(plans) * seconds_of_a_trial, .bytes = 1000 * file_size};
  return race(setup, seeds, disk.open(), left);
}

bool was_dropped_as_slower(const candidate& entry) {
  return entry.dropped.find("the best's time") != std::string::npos;
}

bool calls_one_slower(const race_result& result) {
  return std::ranges::any_of(result.candidates, was_dropped_as_slower) ||
         rank_candidates(io_class::none, result.candidates).count(rank_class::slower) > 0;
}

int count_false_calls(std::span<const int> noise, int races) {
  int false_calls = 0;
  for (int race = 0; race < races; ++race) {
    noisy_disk disk{noise, static_cast<std::uint64_t>(race)};
    const double rounds = 3 + race % 10;
    false_calls += calls_one_slower(race_on(disk, 10, static_cast<std::uint64_t>(race), rounds)) ? 1 : 0;
  }
  return false_calls;
}

// The next two take 3 s: 2,000 races each, so that one in twenty means something.
TEST(calibration, calls_none_of_ten_equal_plans_slower_in_19_of_20_races) {
  EXPECT_LE(count_false_calls(noise_of_reading, 2000), 100);
}

TEST(calibration, calls_no_equal_plan_slower_on_a_disk_that_varies_fourfold) {
  EXPECT_LE(count_false_calls(noise_of_writing, 2000), 100);
}

TEST(calibration, drops_a_plan_of_a_quarter_of_the_speed_after_two_rounds) {
  constexpr int races = 500;
  int dropped = 0;
  for (int race = 0; race < races; ++race) {
    noisy_disk disk{noise_of_reading, static_cast<std::uint64_t>(race)};
    disk.seconds[3] = 4;
    const candidate slow = race_on(disk, 10, static_cast<std::uint64_t>(race), 6).candidates[3];
    dropped += was_dropped_as_slower(slow) && slow.trials.size() == 2 ? 1 : 0;
  }
  EXPECT_GE(dropped, races * 9 / 10);
}

TEST(calibration, tells_a_plan_that_is_25_percent_slower_within_12_rounds) {
  constexpr int races = 500;
  constexpr double rounds = 14.5;  // two of them choose who meets in the others
  int told = 0;
  for (int race = 0; race < races; ++race) {
    noisy_disk disk{noise_of_reading, static_cast<std::uint64_t>(race)};
    disk.seconds[3] = 1.25;
    const race_result result = race_on(disk, 4, static_cast<std::uint64_t>(race), rounds);
    const class_verdict verdict = rank_candidates(io_class::none, result.candidates);
    told += std::ranges::any_of(verdict.ranking, [](const ranked_candidate& ranked) {
      return ranked.plan.method == "3" && ranked.place == rank_class::slower;
    });
  }
  EXPECT_GE(told, races * 9 / 10);
}

// How often a sure answer names one of six ways, although none differs from what programs get by themselves.
int count_false_answers(std::span<const int> noise, int questions) {
  int false_answers = 0;
  for (int number = 0; number < questions; ++number) {
    noisy_disk disk{noise, static_cast<std::uint64_t>(number)};
    question asked{.size = file_size, .least_size = file_size, .seed = static_cast<std::uint64_t>(number)};
    for (std::size_t i = 0; i < 6; ++i) asked.ways.push_back({.method = std::to_string(i), .depth = 1});
    asked.ways.push_back({.method = "adaptive", .depth = 1});
    budget left{.until = 20.0 + number % 20, .bytes = 1000 * file_size};
    answered_question answered;
    answered.candidates = answer(asked, disk.open(), left).candidates;
    answered.verdict = rank_candidates(io_class::none, answered.candidates);
    const class_answer found = find_answer(answered);
    false_answers += found.is_sure && found.what != advice::nothing ? 1 : 0;
  }
  return false_answers;
}

TEST(calibration, recommends_none_of_equal_ways_for_sure_in_19_of_20_answers) {
  EXPECT_LE(count_false_answers(noise_of_reading, 1000), 50);
}

TEST(calibration, recommends_no_equal_way_for_sure_on_a_disk_that_varies_fourfold) {
  EXPECT_LE(count_false_answers(noise_of_writing, 1000), 50);
}

}  // namespace
}  // namespace freshet::tool
