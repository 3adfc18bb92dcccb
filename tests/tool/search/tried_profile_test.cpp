// Whether programs gain by a profile: `tune` measures it before it advises one.
#include <gtest/gtest.h>

#include "tests/tool/search/simulated_disk.hpp"

namespace freshet::tool {
namespace {

TEST(tried_profile, is_the_one_that_would_be_saved) {
  disk on;
  with_profiles programs{.on = on};
  tune_setup setup = three_methods();
  setup.fixed = {io_class::at_close};
  const tuning result = tune(setup, programs.open());
  EXPECT_LE(result.seconds, setup.seconds);
  EXPECT_LE(result.bytes_written, setup.bytes);
  ASSERT_FALSE(programs.used.empty());
  const file_system_profile& last = programs.used.back();
  for (const class_result& each : result.classes) {
    const io_class measured_class = each.verdict.measured_class;
    const class_answer answer = find_answer(each);
    EXPECT_EQ(answer.what, advice::profile) << to_string(measured_class);
    EXPECT_EQ(answer.profile_gain.has_value(), measured_class != io_class::warm);
    EXPECT_TRUE(answer.is_sure) << to_string(measured_class);
    if (reads(measured_class)) continue;
    const auto& tried = last.winners.at(static_cast<std::size_t>(measured_class));
    ASSERT_TRUE(tried) << to_string(measured_class);
    EXPECT_EQ(tried->method, "uring");
    EXPECT_EQ(tried->fixed, measured_class == io_class::at_close);
    EXPECT_GT(tried->measured.past.seconds_per_byte, 0);
    EXPECT_GT(tried->measured.kept.seconds_per_byte, tried->measured.past.seconds_per_byte);
    ASSERT_FALSE(each.smaller.empty());
    EXPECT_TRUE(each.smaller.front().verdict.profile_gain) << "small files are written with the profile, too";
  }
  ASSERT_TRUE(last.cold);
  EXPECT_EQ(last.cold->method, "uring");
  EXPECT_FALSE(last.warm);
}

TEST(tried_profile, is_not_advised_where_programs_do_not_gain) {
  disk on;
  with_profiles programs{.on = on, .share = 1};
  tune_setup setup = three_methods();
  setup.classes = {io_class::none, io_class::cold};
  setup.seconds = usual_seconds(setup.classes);
  const tuning result = tune(setup, programs.open());
  for (const class_result& each : result.classes) {
    const class_answer answer = find_answer(each);
    EXPECT_EQ(answer.what, advice::code);
    EXPECT_EQ(answer.way().plan.method, "uring");
    EXPECT_TRUE(answer.is_sure);
    EXPECT_TRUE(each.smaller.empty());
  }
}

TEST(tried_profile, is_none_where_no_way_is_faster) {
  disk on;
  with_profiles programs{.on = on};
  tune_setup setup = three_methods();
  setup.seeds.erase(setup.seeds.begin() + 1);
  setup.classes = {io_class::none};
  const tuning result = tune(setup, programs.open());
  EXPECT_TRUE(programs.used.empty());
  EXPECT_TRUE(programs.tried.empty());
  EXPECT_EQ(find_answer(result.classes.front()).what, advice::nothing);
}

TEST(tried_profile, is_what_programs_are_started_with) {
  disk on;
  with_profiles programs{.on = on};
  tune_setup setup = with_time_left();
  setup.classes = {io_class::none};
  trial_source source = programs.open();
  source.run_program = [&](const trial_plan& plan) {
    EXPECT_EQ(plan.prior, prior_state::profile);
    return program_files{on.run(plan), on.run(plan)};
  };
  const tuning result = tune(setup, source);
  ASSERT_TRUE(result.classes.front().next_file);
  EXPECT_EQ(result.classes.front().next_file->plan.prior, prior_state::profile);
}

}  // namespace
}  // namespace freshet::tool
