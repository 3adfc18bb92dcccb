#include "tool/search/profile_choice.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace freshet::tool {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

candidate entry(const std::string& method, const std::vector<double>& seconds) {
  candidate entry{.plan = {.method = method, .block = 4 * mebibyte, .depth = 1}};
  for (const double one : seconds) {
    trial_result trial;
    trial.plan = entry.plan;
    trial.round = static_cast<unsigned>(entry.trials.size());
    trial.plan.size = trial.bytes = 1'000'000'000;
    trial.seconds_to_close = trial.seconds_to_disk = one;
    trial.cpu_whole = 0.5;
    entry.trials.push_back(trial);
  }
  return entry;
}

candidate invalid(candidate entry) {
  for (trial_result& trial : entry.trials) trial.validity = trial_validity::invalid;
  return entry;
}

class_result ranked(std::vector<candidate> candidates) {
  class_result result{.verdict = rank_candidates(io_class::none, candidates), .candidates = {}, .end = race_end::time};
  result.candidates = std::move(candidates);
  return result;
}

TEST(choose_for_profile, takes_a_winner_that_was_compared_with_every_method) {
  const class_result result = ranked({entry("buffered", {2, 2, 2, 2, 2, 2}), entry("uring", {1, 1, 1, 1, 1, 1})});
  const profile_choice choice = choose_for_profile(result);
  ASSERT_NE(choice.winner, nullptr);
  EXPECT_EQ(choice.winner->plan.method, "uring");
  EXPECT_EQ(choice.unknown, "");
}

TEST(choose_for_profile, takes_what_is_surely_better_than_the_default_and_says_what_is_unknown) {
  const class_result result = ranked({entry("buffered", {4, 4.1}), entry("uring", {1, 1.1}), entry("direct", {})});
  const profile_choice choice = choose_for_profile(result);
  ASSERT_NE(choice.winner, nullptr);
  EXPECT_EQ(choice.winner->plan.method, "uring");
  EXPECT_EQ(choice.unknown, "no valid trial of direct 4 MiB, only 2 rounds");
}

TEST(choose_for_profile, keeps_the_default_if_that_may_be_as_good) {
  const class_result result = ranked({entry("buffered", {1.3, 1.1}), entry("uring", {1, 1.1}), entry("direct", {})});
  const profile_choice choice = choose_for_profile(result);
  EXPECT_EQ(choice.winner, nullptr);
  EXPECT_EQ(choice.unknown, "no valid trial of direct 4 MiB");
}

TEST(choose_for_profile, keeps_the_default_while_that_has_no_valid_trial) {
  candidate gone = invalid(entry("buffered", {1, 1}));
  gone.dropped = "no valid trial: the processors were busy";
  const class_result result = ranked({gone, entry("uring", {2, 2, 2, 2, 2, 2})});
  const profile_choice choice = choose_for_profile(result);
  EXPECT_EQ(choice.winner, nullptr);
  EXPECT_EQ(choice.unknown, "there is no valid trial of buffered, the default, to compare with");
}

TEST(choose_for_profile, takes_nothing_from_no_trials) {
  EXPECT_EQ(choose_for_profile(ranked({})).winner, nullptr);
  EXPECT_EQ(choose_for_profile(ranked({})).unknown, "no trial was valid");
}

TEST(choose_for_profile, names_where_programs_begin_although_what_changes_is_faster) {
  const class_result result = ranked({entry("buffered", {2, 2, 2, 2, 2, 2}), entry("uring", {1, 1, 1, 1, 1, 1}),
                                      entry("adaptive", {0.5, 0.5, 0.5, 0.5, 0.5, 0.5})});
  ASSERT_NE(choose_for_profile(result).winner, nullptr);
  EXPECT_EQ(choose_for_profile(result).winner->plan.method, "uring");
}

TEST(make_profile, promises_what_was_predicted_of_each_class) {
  tuning result;
  for (const io_class each : {io_class::none, io_class::at_close, io_class::each_write}) {
    result.classes.push_back(ranked({entry("buffered", {4, 4, 4}), entry("uring", {1, 1, 1})}));
    class_result& last = result.classes.back();
    last.verdict.measured_class = last.verdict.ranking.front().plan.measured_class = each;
    last.next_file = {.plan = last.verdict.ranking.front().plan, .rates = {500.4 + static_cast<int>(each), 900}};
  }
  result.classes.back().next_file.reset();
  const file_system_profile profile = make_profile(result);
  EXPECT_EQ(profile.winners[0]->slowest_expected, 500);
  EXPECT_EQ(profile.winners[1]->slowest_expected, 501);
  EXPECT_EQ(profile.winners[2]->slowest_expected, 0) << "nothing was predicted";
}

TEST(make_profile, has_the_choice_of_each_class_and_what_it_left_unknown) {
  tuning result;
  result.classes.push_back(ranked({entry("buffered", {4, 4.1}), entry("uring", {1, 1.1})}));
  const file_system_profile profile = make_profile(result);
  EXPECT_EQ(profile.winners[0], (write_settings{"uring", 4 * mebibyte, 1, "only 2 rounds"}));
  EXPECT_FALSE(profile.winners[1]);
  EXPECT_EQ(profile.size, 1'000'000'000U);
}

TEST(make_profile, keeps_what_is_known_of_classes_for_which_nothing_was_chosen) {
  tuning result;
  result.classes.push_back(ranked({entry("buffered", {4, 4.1}), entry("uring", {1, 1.1})}));
  file_system_profile old;
  old.winners[0] = write_settings{"direct", mebibyte, 1, ""};
  old.winners[1] = write_settings{"aio", mebibyte, 2, ""};
  old.warm = read_settings{"mmap", mebibyte, 1, ""};
  const file_system_profile profile = make_profile(result, old);
  EXPECT_EQ(profile.winners[0]->method, "uring");
  EXPECT_EQ(profile.winners[1], old.winners[1]);
  EXPECT_EQ(profile.warm, old.warm);
  EXPECT_FALSE(profile.cold);
}

}  // namespace
}  // namespace freshet::tool
