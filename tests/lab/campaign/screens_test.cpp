// All that `freshet campaign` shows of a made-up campaign.
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "lab/campaign/report.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/golden_json.hpp"
#include "tests/support/made_up_trials.hpp"
#include "tests/tool/report/screen_test.hpp"

namespace freshet::tool {
namespace {

using test::is_golden;

class campaign_screen : public test::screen_test {};

constexpr screen narrow;
constexpr screen wide{.colours = true, .unicode = true, .width = 132};

planned_step encrypting(const std::string& threads, unsigned repetition) {
  return {.name = "files line by line, all of them",
          .cell = {{"threads", threads}, {"strategy", "streaming"}},
          .repetition = repetition,
          .words = {"encrypt", "in", "out", "--threads", threads}};
}

planned_step shell(const std::string& words) {
  return {.name = "shell", .cell = {{"mode", "a\tb"}}, .repetition = 1, .words = {words}, .for_shell = true};
}

step_attempt unfinished(unsigned number, const std::string& state) {
  step_attempt attempt;
  attempt.id = attempt.number = number;
  attempt.state = state;
  attempt.started = "2026-03-01T12:34:56Z";
  attempt.boot = "0f1e2d3c";
  return attempt;
}

step_attempt finished(unsigned number, int exit_code, double seconds, std::vector<std::int64_t> runs = {}) {
  step_attempt attempt = unfinished(number, "finished");
  attempt.ended = "2026-03-01T12:35:00Z";
  attempt.exit_code = exit_code;
  attempt.seconds = seconds;
  attempt.output = "done\x1b[31m\n";
  attempt.runs = std::move(runs);
  return attempt;
}

step_attempt cold(step_attempt attempt, bool is_cold, std::string evidence) {
  attempt.cold = is_cold;
  attempt.evidence = std::move(evidence);
  return attempt;
}

// Steps in every state: done, failed, cut off and repeated, at work, and not yet begun.
std::vector<journaled_step> all_steps() {
  return {
      {.id = 11,
       .position = 1,
       .planned = encrypting("1", 1),
       .attempts = {cold(finished(1, 0, 4.25, {7, 8}), true, "no page of 12 files is in memory")}},
      {.id = 12, .position = 2, .planned = shell("dd if=/dev/zero of=a"), .attempts = {finished(1, 3, 0.125)}},
      {.id = 13,
       .position = 3,
       .planned = encrypting("16", 2),
       .attempts = {unfinished(1, "cut off"), cold(finished(2, 0, 123.5, {7}), false, "'in/a' is in memory\tstill")}},
      {.id = 14, .position = 4, .planned = shell("sleep 1"), .attempts = {unfinished(1, "running")}},
      {.id = 15, .position = 5, .planned = encrypting("16", 1), .attempts = {}}};
}

// The run that two of the steps share.
run_summary figures() {
  run_summary summary{test::make_run(7)};
  for (const auto& [method, seconds] : {std::pair{"uring", 0.5}, std::pair{"buffered", 1.0}})
    for (record& each : test::keep(test::make_trials({.method = method}, std::vector(6, seconds)), summary.about))
      summary.add(std::move(each));
  return summary;
}

campaign_view view_in(campaign_state state) {
  campaign_view view;
  view.record.id = 3;
  view.record.name = "all\tof it";
  view.record.plan = "format = 1\n";
  view.record.directory = "/data/work";
  view.record.seed = 18;
  view.record.started = "2026-03-01T12:34:56Z";
  view.record.state = state;
  view.store = "/state/trials.sqlite";
  view.steps = all_steps();
  return view;
}

std::string screen_of(const campaign_view& view, const screen& look) {
  return fitted(format_campaign(view, look), look.width);
}

TEST_F(campaign_screen, has_the_steps_and_the_figures) {
  campaign_view view = view_in(campaign_state::running);
  view.process = 4242;
  view.figures.push_back(figures());
  EXPECT_TRUE(is_golden("lab/campaign/screens/status-80.txt", screen_of(view, narrow)));
  EXPECT_TRUE(is_golden("lab/campaign/screens/status-132.txt", screen_of(view, wide)));
  EXPECT_TRUE(is_golden("lab/campaign/screens/status.json", test::golden_json(make_json(view))));
}

TEST_F(campaign_screen, says_why_nothing_happens_and_what_to_do) {
  campaign_view at_boot = view_in(campaign_state::running);
  at_boot.record.unit = "/etc/systemd/system/freshet-campaign.service";
  campaign_view stopped_by_file = at_boot;
  stopped_by_file.stop_file = "/state/trials.sqlite.stop";
  campaign_view paused = view_in(campaign_state::paused);
  paused.record.why = "somebody paused it";
  campaign_view done = view_in(campaign_state::done);
  done.record.ended = "2026-03-01T13:00:00Z";
  done.steps.resize(1);
  std::string text;
  for (const campaign_view& each : {view_in(campaign_state::running), at_boot, stopped_by_file, paused,
                                    view_in(campaign_state::stopped), view_in(campaign_state::aborted), done})
    text += screen_of(each, narrow) + "\n";
  EXPECT_TRUE(is_golden("lab/campaign/screens/rest-80.txt", text));
}

TEST_F(campaign_screen, of_a_step_has_its_attempts_and_its_output) {
  std::string text;
  for (const journaled_step& each : all_steps()) text += format_step(each) + "\n";
  EXPECT_TRUE(is_golden("lab/campaign/screens/steps.txt", text));
}

TEST_F(campaign_screen, of_a_plan_has_its_steps_in_their_order) {
  std::vector<planned_step> steps;
  for (const journaled_step& each : all_steps()) steps.push_back(each.planned);
  EXPECT_TRUE(is_golden("lab/campaign/screens/plan-80.txt", format_plan(steps, narrow)));
  EXPECT_TRUE(is_golden("lab/campaign/screens/plan-132.txt", format_plan(steps, wide)));
}

}  // namespace
}  // namespace freshet::tool
