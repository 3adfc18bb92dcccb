#include "tool/search/tuning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <tuple>
#include <vector>

#include <freshet/error.hpp>

#include "tests/tool/search/simulated_disk.hpp"
#include "tool/base/interrupt.hpp"

namespace freshet::tool {
namespace {

TEST(tune, answers_each_question_within_its_limits) {
  disk on;
  const tune_setup setup = three_methods();
  const tuning result = tune(setup, on.open());
  ASSERT_EQ(result.classes.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    const class_verdict& one = result.classes[i].verdict;
    EXPECT_EQ(one.measured_class, setup.classes[i]);
    ASSERT_FALSE(one.ranking.empty());
    EXPECT_EQ(one.ranking.front().plan.method, one.measured_class == io_class::warm ? "buffered" : "uring");
    EXPECT_GE(one.ranking.front().rate.count, rounds_to_decide);
    EXPECT_TRUE(std::ranges::all_of(one.ranking, [](const ranked_candidate& ranked) { return ranked.plan.ordered; }));
  }
  EXPECT_EQ(result.bytes_written, static_cast<std::uint64_t>(on.written));
  EXPECT_LE(result.bytes_written, setup.bytes);
  EXPECT_LE(result.seconds, setup.seconds);
  EXPECT_TRUE(result.has_answer());
  EXPECT_FALSE(result.slowed.noticed());
}

TEST(tune, answers_how_to_write_and_read_a_file_of_one_gibibyte_in_less_than_three_minutes_at_1_gb_per_second) {
  disk on{.rate = 1.5e9};  // which most methods do not reach
  with_profiles programs{.on = on};
  tune_setup setup = three_methods();
  for (const char* const other : {"dontcache", "writebehind", "direct", "aio", "mmap", "libaio", "uring-buffered"})
    setup.seeds.push_back({.method = other, .block = mebibyte});
  setup.baselines = {{.method = "ofstream"}};
  setup.classes = {io_class::none, io_class::cold};
  setup.size = 1024 * mebibyte;
  setup.seconds = usual_seconds(setup.classes);
  const tuning result = tune(setup, programs.open());
  EXPECT_LE(result.seconds, 160);
  for (const class_result& each : result.classes) {
    const class_answer answer = find_answer(each);
    ASSERT_NE(answer.what, advice::none);
    ASSERT_TRUE(answer.profile_gain);
    EXPECT_GE(answer.profile_gain->ratio.count, rounds_to_decide);
    EXPECT_EQ(answer.with_profile->size, setup.size);
    EXPECT_EQ(answer.best->size, setup.size);
    EXPECT_GE(answer.best->rate.count, rounds_to_decide);
  }
}

TEST(tune, gives_the_time_that_is_left_to_what_is_not_sure) {
  disk on;
  on.noise = 0.5;
  tune_setup setup = three_methods();
  setup.classes = {io_class::none};
  setup.seconds = 20;
  const tuning result = tune(setup, on.open());
  EXPECT_TRUE(find_answer(result.classes.front()).is_sure || result.seconds > 0.95 * setup.seconds) << result.seconds;
  EXPECT_LE(result.seconds, setup.seconds);
}

TEST(tune, measures_nothing_else_where_no_time_was_given) {
  disk on;
  trial_source source = on.open();
  source.run_program = [&](const trial_plan& plan) {
    ADD_FAILURE() << "a program was started";
    return program_files{on.run(plan), on.run(plan)};
  };
  const tuning result = tune(three_methods(), source);
  EXPECT_TRUE(result.order_costs.empty());
  EXPECT_TRUE(result.memory.empty());
  for (const class_result& each : result.classes) EXPECT_FALSE(each.refined);
}

TEST(tune, shows_what_order_costs_and_never_picks_disorder) {
  disk on;
  trial_source faster_without_order = on.open();
  faster_without_order.run = [&](const trial_plan& plan) {
    trial_result trial = on.run(plan);
    if (!plan.ordered) trial.seconds_to_close = trial.seconds_to_disk /= 2;
    return trial;
  };
  const tuning result = tune(with_time_left(), faster_without_order);
  for (const class_result& each : result.classes) EXPECT_TRUE(each.verdict.ranking.front().plan.ordered);
  ASSERT_EQ(result.order_costs.size(), 3U);
  EXPECT_TRUE(result.order_costs[0].plan.ordered);
  EXPECT_FALSE(result.order_costs[1].plan.ordered);
  EXPECT_TRUE(result.order_costs[2].plan.size_ahead);
  EXPECT_NEAR(seconds_ratio(result.order_costs[1], result.order_costs[0]), 0.5, 0.1);
}

TEST(tune, tries_other_blocks_of_what_it_recommends) {
  disk on;
  tune_setup setup = with_time_left();
  setup.classes = {io_class::none};
  trial_source source = on.open();
  source.run = [&](const trial_plan& plan) {
    trial_result trial = on.run(plan);
    if (plan.block > 4 * mebibyte) trial.seconds_to_close = trial.seconds_to_disk /= 2;
    return trial;
  };
  const tuning result = tune(setup, source);
  ASSERT_TRUE(result.classes.front().refined);
  const class_verdict& refined = result.classes.front().refined->verdict;
  EXPECT_EQ(refined.ranking.front().plan.method, "uring");
  EXPECT_GT(refined.ranking.front().plan.block, 4 * mebibyte);
}

TEST(tune, starts_programs_once_all_questions_are_answered) {
  disk on;
  tune_setup setup = with_time_left();
  setup.classes = {io_class::cold, io_class::none, io_class::at_close};  // whatever the order
  std::size_t trials_before = 0;
  trial_source source = on.open();
  source.run_program = [&](const trial_plan& plan) {
    EXPECT_FALSE(reads(plan.measured_class));
    EXPECT_EQ(plan.size, 256 * mebibyte);
    if (trials_before == 0) trials_before = on.trials.size();
    const trial_result first = on.run(plan);
    return program_files{first, on.run(plan)};
  };
  const tuning result = tune(setup, source);
  const auto programs = [&](std::size_t index) { return result.classes[index].programs.size(); };
  EXPECT_EQ((std::array{programs(0), programs(1), programs(2)}), (std::array<std::size_t, 3>{0, 10, 3}));
  std::size_t answering = 0;
  for (const class_result& each : result.classes)
    for (const candidate& entry : each.candidates) answering += entry.trials.size();
  EXPECT_GE(trials_before, answering);
  for (const std::size_t index : {1U, 2U}) {
    ASSERT_TRUE(result.classes[index].next_file);
    EXPECT_EQ(result.classes[index].next_file->plan.method, "uring");
  }
  EXPECT_LE(result.seconds, 1.05 * setup.seconds);
}

TEST(tune, starts_durable_programs_only_if_they_are_quick) {
  const auto sizes_at = [](double rate) {
    disk on{.rate = rate};
    tune_setup setup = with_time_left();
    setup.seconds = 60;
    setup.classes = {io_class::at_close};
    std::set<std::uint64_t> sizes;
    trial_source source = on.open();
    source.run_program = [&](const trial_plan& plan) {
      sizes.insert(plan.size);
      return program_files{on.run(plan), on.run(plan)};
    };
    static_cast<void>(tune(setup, source));
    return sizes;
  };
  EXPECT_EQ(sizes_at(2e9), std::set{256 * mebibyte});
  EXPECT_EQ(sizes_at(2e8), std::set{64 * mebibyte});
  EXPECT_TRUE(sizes_at(5e7).empty());
}

TEST(tune, compares_small_files_where_the_profile_would_name_a_way) {
  disk on;
  tune_setup setup = three_methods();
  setup.classes = {io_class::none};
  setup.size = 1024 * mebibyte;
  trial_source source = on.open();
  source.run = [&](const trial_plan& plan) {
    trial_result trial = on.run(plan);
    if (plan.method == "adaptive" && plan.size <= 64 * mebibyte) trial.seconds_to_close = trial.seconds_to_disk /= 4;
    return trial;
  };
  const class_result none = std::move(tune(setup, source).classes.front());
  ASSERT_EQ(none.smaller.size(), 2U);
  EXPECT_EQ(none.smaller.front().size, 64 * mebibyte);
  EXPECT_EQ(none.smaller.back().size, 256 * mebibyte);
  const class_answer answer = find_answer(none);
  EXPECT_EQ(answer.what, advice::code);
  ASSERT_EQ(answer.by_size.size(), 2U);
  EXPECT_EQ(answer.by_size.front().plan.method, "adaptive");
  EXPECT_EQ(answer.by_size.back().plan.method, "uring");
}

TEST(tune, gives_most_time_to_what_most_programs_do) {
  disk on{.rate = 2e8};
  const tuning result = tune(three_methods(), on.open());
  EXPECT_LE(on.seconds_of(io_class::warm), on.seconds_of(io_class::cold));
  EXPECT_LE(on.seconds_of(io_class::at_close), on.seconds_of(io_class::none));
  EXPECT_LE(result.seconds, usual_seconds(all_classes) + 1);
}

TEST(tune, shows_one_countdown_that_only_falls) {
  disk on;
  trial_source source = on.open();
  double last = std::numeric_limits<double>::infinity();
  source.show = [&](const race_progress& now) {
    EXPECT_LE(now.seconds_left, last);
    EXPECT_GE(now.seconds_left, 0);
    last = now.seconds_left;
  };
  static_cast<void>(tune(with_time_left(), source));
  EXPECT_LT(last, usual_seconds(all_classes));
}

TEST(tune, writes_the_file_that_is_read_once) {
  disk on;
  static_cast<void>(tune(three_methods(), on.open()));
  EXPECT_EQ(on.sizes_to_read, (std::set{64 * mebibyte, 512 * mebibyte})) << "a small one to compare";
}

TEST(tune, reads_smaller_files_from_a_slow_disk) {
  disk on{.rate = 2e7};
  const tuning result = tune(three_methods(), on.open());
  ASSERT_EQ(on.sizes_to_read.size(), 1U);
  EXPECT_LE(*on.sizes_to_read.begin(), 32 * mebibyte);
  EXPECT_GE(*on.sizes_to_read.begin(), 16 * mebibyte);
  EXPECT_FALSE(result.classes[3].verdict.ranking.empty());
}

TEST(tune, only_reads_if_only_reading_classes_are_requested) {
  disk on;
  tune_setup setup = three_methods();
  setup.classes = {io_class::warm};
  setup.seconds = usual_seconds(setup.classes);
  const tuning result = tune(setup, on.open());
  EXPECT_EQ(result.bytes_written, (256 + 512 + 64) * mebibyte)
      << "a small file shows how large a file may be, another one is compared";
  EXPECT_TRUE(std::ranges::all_of(
      on.trials, [](const trial_result& trial) { return trial.plan.measured_class == io_class::warm; }));
  EXPECT_EQ(result.warm_up.size(), 1U);
  EXPECT_EQ(result.classes.front().verdict.ranking.front().plan.method, "buffered");
}

TEST(tune, writes_no_more_than_its_budget) {
  for (const std::uint64_t bytes : {0 * mebibyte, 600 * mebibyte, 5000 * mebibyte}) {
    disk on;
    tune_setup setup = with_time_left();
    setup.bytes = bytes;
    EXPECT_LE(tune(setup, on.open()).bytes_written, bytes);
    EXPECT_LE(on.written, static_cast<double>(bytes));
  }
}

TEST(tune, writes_no_more_than_its_budget_to_read) {
  for (const std::uint64_t bytes : {100 * mebibyte, 300 * mebibyte, 700 * mebibyte, 5000 * mebibyte}) {
    disk on;
    tune_setup setup = three_methods();
    setup.classes = {io_class::cold};
    setup.bytes = bytes;
    static_cast<void>(tune(setup, on.open()));
    EXPECT_LE(on.written, static_cast<double>(bytes));
  }
}

TEST(tune, tries_every_method_in_every_class) {
  disk on;
  tune_setup setup = three_methods();
  setup.seeds.push_back({.method = "stuck", .block = mebibyte});
  trial_source slow = on.open();
  slow.run = [&](const trial_plan& plan) {
    trial_result trial = on.run(plan);
    if (plan.method == "stuck") trial.seconds_to_close = trial.seconds_to_disk *= 3;
    return trial;
  };
  const tuning result = tune(setup, slow);
  for (const class_result& each : result.classes) {
    if (reads(each.verdict.measured_class)) continue;
    const auto stuck = std::ranges::find(each.verdict.ranking, "stuck",
                                         [](const ranked_candidate& ranked) { return ranked.plan.method; });
    ASSERT_NE(stuck, each.verdict.ranking.end()) << to_string(each.verdict.measured_class);
    EXPECT_NE(stuck->dropped, "");
    EXPECT_NE(stuck, each.verdict.ranking.begin());
  }
}

TEST(tune, lets_what_an_earlier_run_found_take_part) {
  disk on;
  tune_setup setup = three_methods();
  setup.known = {{.method = "uring", .block = 8 * mebibyte, .depth = 4, .measured_class = io_class::at_close}};
  const tuning result = tune(setup, on.open());
  for (const class_result& each : result.classes) {
    const auto is_known = [](const candidate& entry) { return entry.plan.method == "uring" && entry.plan.depth == 4; };
    EXPECT_EQ(std::ranges::any_of(each.candidates, is_known), each.verdict.measured_class == io_class::at_close);
  }
}

TEST(tune, returns_what_it_has_when_it_is_interrupted) {
  disk on;
  trial_source stopped = on.open();
  stopped.run = [&](const trial_plan& plan) -> trial_result {
    if (plan.measured_class == io_class::at_close) throw interrupted{2};
    return on.run(plan);
  };
  const tuning result = tune(with_time_left(), stopped);
  EXPECT_TRUE(result.interrupted);
  ASSERT_EQ(result.classes.size(), 4U) << "reading is answered first";
  EXPECT_EQ(result.classes[0].verdict.ranking.front().plan.method, "uring");
  EXPECT_EQ(result.classes[1].verdict.measured_class, io_class::at_close);
  EXPECT_TRUE(result.classes[1].verdict.ranking.empty());
  EXPECT_TRUE(result.order_costs.empty());
}

TEST(tune, returns_what_it_has_when_the_disk_is_full) {
  const error full{std::make_error_code(std::errc::no_space_on_device), "write", "/disk/file"};
  for (const io_class when : {io_class::none, io_class::cold}) {
    disk on;
    trial_source stopped = on.open();
    stopped.run = [&](const trial_plan& plan) -> trial_result {
      if (plan.measured_class == when && on.trials.size() >= 5) throw error{full};
      return on.run(plan);
    };
    tune_setup setup = with_time_left();
    setup.classes = {io_class::none, io_class::cold};
    const tuning result = tune(setup, stopped);
    EXPECT_EQ(result.failure, "write '/disk/file': No space left on device");
    EXPECT_TRUE(result.has_answer());
  }
}

TEST(tune, fails_where_not_even_the_first_trial_is_possible) {
  disk on;
  trial_source source = on.open();
  source.run = [](const trial_plan&) -> trial_result {
    throw error{std::make_error_code(std::errc::read_only_file_system), "create", "/disk/file"};
  };
  EXPECT_THROW(std::ignore = tune(three_methods(), source), error);
}

TEST(tune, notices_a_disk_that_slows_down) {
  disk on{.lost = 0.6, .gigabytes = 8};
  tune_setup setup = three_methods();
  setup.classes = {io_class::none};
  const tuning result = tune(setup, on.open());
  EXPECT_TRUE(result.slowed.noticed());
  EXPECT_GT(result.slowed.share, 0.2);
}

}  // namespace
}  // namespace freshet::tool
