// All that `bench` shows of one grid, held by files.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/made_up_trials.hpp"
#include "tests/tool/report/screen_test.hpp"
#include "tool/report/bench_report.hpp"

namespace freshet::tool {
namespace {

using test::make_trials;
using test::mebibyte;
using test::watched;
using seconds = std::vector<double>;

class bench_screens : public test::screen_test {};

const seconds fast{0.5, 0.52, 0.49, 0.51, 0.5, 0.505};
const seconds hardly_slower{0.51, 0.53, 0.495, 0.52, 0.515, 0.5};
const seconds usual{1, 1.1, 0.9, 1.05, 0.95, 1};
const seconds slow{2.02, 2.1, 1.93, 2, 1.9, 6};  // the last one is an outlier

candidate row(const trial_plan& plan, const seconds& taken, const test::made_up& like = {.disk = 1.25}) {
  return {.plan = plan, .trials = watched(make_trials(plan, taken, like))};
}

// Writing, with what else may happen to a plan: some trials are invalid or disturbed, or all, or there are none.
std::vector<candidate> writing_rows() {
  const trial_plan uring{.method = "uring", .block = 4 * mebibyte, .depth = 2, .size = test::gigabyte};
  trial_plan reserved = uring;
  reserved.reserve = true;
  trial_plan unordered = uring;
  unordered.ordered = false;
  const trial_plan behind{.method = "writebehind", .block = 256 << 10, .size = test::gigabyte};
  const trial_plan direct{.method = "direct", .block = 4 * mebibyte, .depth = 1, .size = test::gigabyte};
  std::vector<candidate> rows{
      row(uring, fast),
      row(reserved, hardly_slower, {.disk = 1.25, .cpu = 0.4}),
      row(unordered, usual),
      row(behind, usual, {.disk = 2, .cpu = 0.1}),
      row(direct, slow),
      row({.method = "auto", .size = test::gigabyte}, fast),
      row({.method = "mmap", .block = mebibyte, .size = test::gigabyte}, {0.1, 0.1, 0.1},
          {.invalid = "the content differs"}),
      row({.method = "null", .size = test::gigabyte}, {0.01, 0.01, 0.01}),
      {.plan = {.method = "aio", .size = test::gigabyte}, .dropped = "the kernel has none"},
  };
  rows[3].trials[1].validity = trial_validity::disturbed;
  rows[3].trials[1].reasons = {"others wrote to vda meanwhile, 30 % of the trial's bytes: bash 29.6 MiB"};
  rows[4].trials[0].validity = trial_validity::invalid;
  rows[4].trials[0].reasons = {"the file was cached"};
  for (trial_result& each : rows[3].trials) each.generator_ceiling = 1100;
  for (trial_result& each : rows[1].trials) {
    each.extents = 1;
    each.cold_read = 1650.5;
  }
  return rows;
}

std::vector<candidate> rows_of(io_class measured_class) {
  const trial_plan buffered{
      .method = "buffered", .block = mebibyte, .measured_class = measured_class, .size = test::gigabyte};
  trial_plan direct = buffered;
  direct.method = "direct";
  return {row(buffered, usual, {.disk = 1.5}), row(direct, slow, {.disk = 1.125, .cpu = 0.05})};
}

std::vector<candidate> all_classes_rows() {
  std::vector<candidate> rows = writing_rows();
  for (const io_class measured_class : {io_class::at_close, io_class::each_write, io_class::cold, io_class::warm})
    for (candidate& each : rows_of(measured_class)) rows.push_back(std::move(each));
  return rows;
}

TEST_F(bench_screens, rank_the_plans_of_each_class) {
  const auto draw = [](const screen& look) { return format_bench(all_classes_rows(), look); };
  expect_golden("bench", draw);
  expect_golden_colours("bench", draw);
}

TEST_F(bench_screens, lack_what_no_instrument_showed) {
  const trial_plan buffered{.method = "buffered", .memory = memory_state::left, .size = 64 * mebibyte};
  const trial_plan direct{.method = "direct", .memory = memory_state::left, .size = 64 * mebibyte};
  const std::vector<candidate> rows{{.plan = buffered, .trials = make_trials(buffered, {0.1})},
                                    {.plan = direct, .trials = make_trials(direct, {0.2})}};
  expect_golden("bench-bare", [&](const screen& look) { return format_bench(rows, look); });
}

TEST_F(bench_screens, rank_nothing_where_no_plan_counts) {
  std::vector<candidate> rows = writing_rows();
  rows.erase(rows.begin(), rows.begin() + 6);
  rows.push_back({.plan = {.method = "direct", .measured_class = io_class::cold}, .dropped = "the cache drop failed"});
  expect_golden("bench-unranked", [&](const screen& look) { return format_bench(rows, look); });
}

TEST_F(bench_screens, have_their_verdicts_and_effects_in_json) {
  const std::vector<candidate> rows = all_classes_rows();
  expect_golden_json("bench-verdicts", bench_verdicts(rows));
  expect_golden_json("bench-effects", bench_effects(rows));
}

TEST_F(bench_screens, begin_with_what_the_device_takes) {
  const machine_rate known{.rate = 2300, .way = "uring 4 MiB x 2", .measured = "2026-03-12T23:59:00Z", .trials = 6};
  const auto line = [&](std::vector<candidate> rows) {
    return format_machine_figures(make_machine_figures(known, rows), "2026-11-29T12:00:00Z");
  };
  std::vector<candidate> none = writing_rows();
  none.erase(none.begin(), none.begin() + 6);
  expect_golden("bench-machine.txt",
                line(writing_rows()) + line(rows_of(io_class::at_close)) + line(none) + line(rows_of(io_class::cold)));
}

}  // namespace
}  // namespace freshet::tool
