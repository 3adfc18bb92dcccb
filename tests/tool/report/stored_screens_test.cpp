// All that `history`, `compare` and the page show of stored runs, held by files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/made_up_trials.hpp"
#include "tests/tool/report/screen_test.hpp"
#include "tool/analysis/gate.hpp"
#include "tool/report/compare_report.hpp"
#include "tool/report/history_report.hpp"
#include "tool/report/html/page_data.hpp"

namespace freshet::tool {
namespace {

using test::make_run;
using test::make_trials;
using test::mebibyte;
using seconds = std::vector<double>;

class stored_screens : public test::screen_test {};

const seconds fast{0.5, 0.52, 0.49, 0.51, 0.5, 0.505};
const seconds usual{1, 1.1, 0.9, 1.05, 0.95, 1};
const seconds slow{2.02, 2.1, 1.93, 2, 1.9, 6};

trial_plan plan(const std::string& method, io_class measured_class = io_class::none) {
  return {.method = method, .block = mebibyte, .measured_class = measured_class, .size = test::gigabyte};
}

/// Runs, and the trials of all of them in the order in which they were made.
struct stored {
  std::vector<run> runs;
  std::vector<record> records;

  run& begin(run begun) { return runs.emplace_back(std::move(begun)); }
  /// Of the last run.
  void add(const std::vector<trial_result>& trials, trial_purpose purpose = trial_purpose::ranking) {
    for (record& each : test::keep(trials, runs.back(), static_cast<std::int64_t>(records.size()) + 1)) {
      set_purpose(each, purpose);
      records.push_back(std::move(each));
    }
  }
  void add(const trial_plan& of, const seconds& taken, const test::made_up& like = {.disk = 1.25}) {
    add(test::watched(make_trials(of, taken, like)));
  }
};

// Files processed line by line, which the laboratory draws.
void add_lines(stored& all) {
  trial_plan lines = plan("streaming", io_class::warm);
  lines.workload = workload_kind::lines;
  lines.jobs = 2;
  all.add(lines, {1, 1.25});
  for (std::size_t i = all.records.size() - 2; i < all.records.size(); ++i) {
    all.records[i].workload = "lines";
    all.records[i].label = "streaming, 2 threads, work 100";
    all.records[i].plan = {{"corpus", "small-files"}, {"strategy", "streaming"}, {"threads", 2}, {"work", 100}};
    all.records[i].extra["cpu_to_close"] = 0.75;
  }
}

// A run with all that a run can have, a second one of the same plans, one of another command, and one without trials.
stored all_runs() {
  stored all;
  all.begin(make_run(1));
  all.add(plan("uring"), fast);
  all.add(plan("buffered"), usual);
  all.add(plan("direct"), {2, 2.1, 1.9, 2, 2, 2}, {.disk = 1.125, .cpu = 0.05});
  all.add(plan("mmap"), {0.1, 0.1}, {.invalid = "the content differs"});
  all.add(plan("null"), {0.01, 0.01});
  all.add(plan("buffered", io_class::at_close), slow, {.disk = 2});
  all.add(plan("direct", io_class::cold), {1, 1.1, 0.9}, {.invalid = "the cache drop failed"});
  all.add(make_trials(plan("uring"), {9}), trial_purpose::warm_up);
  all.add(make_trials(plan("buffered"), {1.5, 1.6}), trial_purpose::diagnosis);
  all.add(make_trials(plan("ofstream"), {3, 3.1, 2.9}, {.cpu = 2}), trial_purpose::baseline);
  all.add(plan("buffered"), usual, {.disturbed = "others wrote to vda meanwhile, 30 % of the trial's bytes"});
  add_lines(all);
  all.begin(make_run(2)).env.kernel = "6.18.1";
  all.add(plan("uring"), {0.6, 0.63, 0.59, 0.61, 0.6, 0.605});
  all.add(plan("buffered"), usual);
  all.add(plan("direct"), {2, 2.1}, {.met_slow_memory = true});
  all.begin(make_run(12, "peers", "tmpfs")).ended.clear();
  all.runs.back().store = "old.sqlite";
  all.add(plan("writer"), usual);
  all.begin(make_run(13, "tune")).lacks_result = true;
  return all;
}

// In place of the laboratory.
nlohmann::json draw_lines(const nlohmann::json& groups) {
  nlohmann::json sections = nlohmann::json::array();
  for (std::size_t i = 0; i < groups.at("groups").size(); ++i)
    sections.push_back({{"state", "sweep"},
                        {"headline", "With small-files, the fastest is streaming with 2 threads."},
                        {"remarks", {"One remark."}},
                        {"cpu_bound_from", 100},
                        {"rows", {{{"strategy", "streaming"}, {"seconds", 1.0 / 3}, {"busy", nullptr}}}},
                        {"cells", {{{"threads", 2}, {"work", 100}}}},
                        {"tables", "threads  work\n      2   100\n"}});
  return {{"sections", sections}, {"script", "drawn();"}};
}

nlohmann::json draw_nothing(const nlohmann::json& /*groups*/) {
  throw nobody_draws{"Only freshet-lab draws it, and there is none."};
}

std::vector<run_summary> summarize(const stored& all, const lines_drawer& draw = draw_lines) {
  std::vector<run_summary> summaries;
  for (const run& each : all.runs) summaries.emplace_back(each);
  for (record each : all.records)
    for (run_summary& one : summaries)
      if (one.about.id == each.run) one.add(record{each});
  draw_runs(summaries, draw);
  return summaries;
}

TEST_F(stored_screens, list_runs) {
  const std::vector<run_summary> runs = summarize(all_runs());
  const auto draw = [&](const screen& look) { return format_history(runs, look); };
  expect_golden("history", draw);
  expect_golden_colours("history", draw);
}

TEST_F(stored_screens, rank_all_of_one_run) {
  const std::vector<run_summary> runs = summarize(all_runs());
  const auto draw = [&](const screen& look) { return format_run(runs.front(), look); };
  expect_golden("run", draw);
  expect_golden_colours("run", draw);
}

TEST_F(stored_screens, tell_what_else_runs_may_be) {
  const std::vector<run_summary> runs = summarize(all_runs(), draw_nothing);
  expect_golden("run-undrawn", [&](const screen& look) { return format_run(runs[0], look); });
  expect_golden("run-slow-memory", [&](const screen& look) { return format_run(runs[1], look); });
  expect_golden("run-unended", [&](const screen& look) { return format_run(runs[2], look); });
  expect_golden("run-empty", [&](const screen& look) { return format_run(runs[3], look); });
}

TEST_F(stored_screens, have_all_of_a_run_in_json) {
  const nlohmann::json json = summarize(all_runs());
  expect_golden_json("history", json);
}

compared_sides compare_runs(const std::vector<trial_result>& first, const std::vector<trial_result>& second,
                            metric which = metric::ranking) {
  const std::vector<run> runs{make_run(1), make_run(2)};
  side_matcher matcher{runs, {}, false};
  for (const std::size_t side : {0U, 1U})
    for (record& each : test::keep(side == 0 ? first : second, runs[side]))
      matcher.add(side, std::move(each), side, which);
  return {.names = {"run 1, 2026-03-01 12:00 (freshet bench /data/ext4)", "run 2, 2026-03-02 12:00 (freshet bench)"},
          .changes = {"kernel 6.18.0 -> 6.18.1", "scheduler none -> mq-deadline"},
          .which = which,
          .plans = matcher.match(matching::plans, which)};
}

std::vector<trial_result> joined(const std::vector<std::vector<trial_result>>& parts) {
  std::vector<trial_result> all;
  for (const std::vector<trial_result>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

seconds times(double factor, seconds all) {
  for (double& each : all) each *= factor;
  return all;
}

const seconds many{1, 1.02, 0.98, 1.01, 0.99, 1, 1.03, 0.97, 1.005, 0.995};

// Faster, slower, as fast and not told apart; of two classes; with plans of one side only, and invalid trials.
compared_sides all_results(metric which = metric::ranking) {
  const auto trials = [](const std::string& method, const seconds& taken, double cpu = 0.5) {
    return make_trials(plan(method), taken, {.disk = 1.25, .cpu = cpu});
  };
  return compare_runs(
      joined({trials("uring", many), trials("direct", many), trials("writebehind", many), trials("buffered", usual),
              trials("aio", fast), make_trials(plan("buffered", io_class::at_close), many, {.disk = 2}),
              make_trials(plan("mmap"), many, {.met_slow_memory = true})}),
      joined({trials("uring", times(0.5, many), 0.25), trials("direct", times(1.5, many)),
              trials("writebehind", times(1.001, many)), trials("buffered", times(1.125, usual)),
              trials("mmap", {0.1}, 0.5), make_trials(plan("libaio"), {1, 1}, {.invalid = "the content differs"}),
              make_trials(plan("buffered", io_class::at_close), many, {.disk = 2.5}),
              make_trials(plan("mmap"), {1, 1.1}, {.met_slow_memory = true})}),
      which);
}

TEST_F(stored_screens, compare_two_sides) {
  const auto draw = [](const screen& look) { return format_comparison(all_results(), look); };
  expect_golden("compare", draw);
  expect_golden_colours("compare", draw);
  expect_golden("compare-cpu", [](const screen& look) { return format_comparison(all_results(metric::cpu), look); });
  expect_golden_json("compare", make_json(all_results()));
}

TEST_F(stored_screens, judge_what_got_worse) {
  std::string text;
  for (const judged_plan& each : judge_plans(all_results().plans, 0.05))
    text +=
        fmt::format("{}: {}, {} rounds to go, p {:.3g}; as measured: {}\n", each.name, to_string(each.own.result.state),
                    each.own.result.rounds_to_go, each.own.significance, to_string(each.whole.result.state));
  expect_golden("gate.txt", text);
}

TEST_F(stored_screens, are_the_data_of_the_page) {
  const stored all = all_runs();
  page_data data{all.runs};
  for (record each : all.records) data.add(std::move(each));
  data.draw(draw_lines);
  expect_golden_json("page", data.json({{"store", "/data/trials.sqlite"}}));
}

}  // namespace
}  // namespace freshet::tool
