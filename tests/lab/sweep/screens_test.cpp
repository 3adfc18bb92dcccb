// All that `freshet sweep` prints of a made-up sweep, and what reports show of its stored trials.
#include <gtest/gtest.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/sweep/drawing.hpp"
#include "lab/sweep/findings.hpp"
#include "lab/sweep/report.hpp"
#include "tests/lab/sweep/invented_sweep.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/golden_json.hpp"
#include "tests/tool/report/screen_test.hpp"
#include "tool/analysis/groups.hpp"

namespace freshet::tool {
namespace {

using test::invented_sweep;
using test::is_golden;

class sweep_screen : public test::screen_test {};

// All strategies by one to three threads at three levels of work, with trials that failed or are not valid.
sweep_result all_cells() {
  invented_sweep sweep{{0, 100, 1000}, {1, 2, 3}};
  sweep.result.plan.strategies.assign(wanted_strategies().begin(), wanted_strategies().end());
  double seconds = 8;
  for (const sweep_cell& cell : list_cells(sweep.result.plan)) {
    seconds += 0.1;
    const double all = seconds + 0.1 * cell.work;
    sweep.add(cell, {1.01 * all, 1.02 * all, all}, cell.work == 0 ? 0.4 : 0.95);
  }
  sweep.add(invented_sweep::cell(strategy::async, 3, 100), {15, 15.5, 16}, 0.97);
  std::vector<sweep_trial>& trials = sweep.result.trials;
  for (sweep_trial& each : trials) each.figures.bytes = 2'002'000'000;  // as published
  for (const std::size_t each : {0U, 1U, 2U, 3U}) sweep.spoil(each, "not warm: 'a' is not in memory");
  trials[4].failure = "write 'a': no rings";
  sweep.spoil(4, trials[4].failure);
  for (std::size_t each = 6; each < 9; ++each) {
    trials[each].figures.page_cache = 300'000'000;
    trials[each].figures.peak_memory.reset();
  }
  for (std::size_t each = 36; each < 39; ++each) trials[each].chosen = to_string(strategy::streaming);
  trials[20].figures.validity = trial_validity::disturbed;
  trials[20].figures.reasons = {"others wrote to vda meanwhile"};
  trials[30].files_removed_shortly_before = true;
  sweep.result.seconds = 754.5;
  sweep.result.bytes_written = 12'345'678'901;
  return sweep.result;
}

// A user's files, a corpus that varies, and a part of one, cold, by ranks on several machines, with two buffers.
sweep_result with_options() {
  invented_sweep sweep{{0}, {1}};
  sweep_plan& plan = sweep.result.plan;
  plan.corpora = {
      {.name = "mine", .directory = "/data/mine", .volume = {.files = 3, .lines = 4000, .bytes = 100'000'000}},
      sweep_corpora().back(),
      usual_corpora().back()};
  plan.buffers = {0, 65536};
  plan.access = access::once;
  plan.streams = stream_kind::freshet;
  plan.cold = true;
  plan.scale = 0.15;
  plan.ranks = 4;
  sweep.result.machines = 2;
  sweep.result.caveats = {"names and inodes: dropping them takes root"};
  for (const sweep_cell& cell : list_cells(plan)) sweep.add(cell, {1.25});
  return sweep.result;
}

TEST_F(sweep_screen, has_tables_limits_choices_and_faults) {
  EXPECT_TRUE(is_golden("lab/sweep/screens/sweep.txt", format_sweep(all_cells())));
  EXPECT_TRUE(is_golden("lab/sweep/screens/options.txt", format_sweep(with_options())));
}

TEST(sweep_json, has_cells_ratios_limits_and_trials) {
  sweep_result result = all_cells();
  nlohmann::json json = make_json(result);
  nlohmann::json few = nlohmann::json::array();  // the others have the same keys
  for (const std::size_t each : {0U, 4U, 6U, 30U}) few.push_back(json.at("trials").at(each));
  json.at("trials") = few;
  EXPECT_TRUE(is_golden("lab/sweep/screens/sweep.json", test::golden_json(json)));
  EXPECT_TRUE(is_golden("lab/sweep/screens/options.json", test::golden_json(make_json(with_options()))));
}

nlohmann::json json_of(const record& kept) {
  return {{"workload", kept.workload},
          {"method", kept.method},
          {"label", kept.label},
          {"plan", kept.plan},
          {"extra", kept.extra}};
}

TEST(sweep_record, has_the_cell_and_its_own_figures) {
  const sweep_result all = all_cells();
  const sweep_result some = with_options();
  EXPECT_TRUE(is_golden("lab/sweep/screens/records.json",
                        test::golden_json({json_of(make_record(all.plan, all.trials[6])),
                                           json_of(make_record(some.plan, some.trials.back()))})));
}

// As reports hand stored trials of this sweep to the laboratory.
nlohmann::json groups_of(const sweep_result& result, std::size_t columns) {
  run about;
  about.id = 1;
  about.command = "sweep";
  report_groups groups{{about}};
  for (const sweep_trial& each : result.trials) {
    record kept = make_record(result.plan, each);
    kept.run = 1;
    groups.add(std::move(kept), 0);
  }
  std::vector<lines_group> lines;
  for (const report_group& each : groups.all()) lines.push_back({.group = &each, .processors = 2});
  return write_groups(lines, columns);
}

std::string tables_of(const nlohmann::json& drawn) {
  std::string text;
  for (const nlohmann::json& each : drawn.at("sections")) text += each.at("tables").get<std::string>() + "\n";
  return text;
}

TEST(stored_lines, are_drawn_as_tables_with_what_follows_from_them) {
  const sweep_result result = all_cells();
  EXPECT_TRUE(is_golden("lab/sweep/screens/stored-80.txt", tables_of(draw_line_cells(groups_of(result, 80)))));
  EXPECT_TRUE(is_golden("lab/sweep/screens/stored-132.txt", tables_of(draw_line_cells(groups_of(result, 132)))));
  nlohmann::json drawn = draw_line_cells(groups_of(with_options(), 80));
  EXPECT_TRUE(is_golden("lab/sweep/screens/stored-options.txt", tables_of(drawn)));
  nlohmann::json sections = draw_line_cells(groups_of(result, 80)).at("sections");
  for (const nlohmann::json& each : drawn.at("sections")) sections.push_back(each);
  for (nlohmann::json& each : sections) each.erase("tables");
  EXPECT_TRUE(is_golden("lab/sweep/screens/stored.json", test::golden_json(sections)));
}

}  // namespace
}  // namespace freshet::tool
