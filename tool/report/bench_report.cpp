#include "report/bench_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/table.hpp"
#include "search/statistics.hpp"
#include "size.hpp"

namespace freshet::tool {
namespace {

bool is_valid(const trial& made) { return made.verdict != validity::invalid; }

// The trials that a row's figures are drawn from.
std::vector<trial> telling(const bench_row& row) {
  std::vector<trial> chosen;
  std::copy_if(row.trials.begin(), row.trials.end(), std::back_inserter(chosen), is_valid);
  return chosen.empty() ? row.trials : chosen;
}

template <typename Figure>
estimate median_of(const std::vector<trial>& trials, Figure figure) {
  std::vector<double> values;
  for (const trial& made : trials) values.push_back(figure(made));
  return estimate_median(values);
}

// MB/s by the clock that its class ranks by.
double ranking_rate(const bench_row& row) {
  const auto rate = [](const trial& made) { return static_cast<double>(made.bytes) / made.ranking_seconds() / 1e6; };
  return median_of(telling(row), rate).value;
}

bool may_be_best(const bench_row& row) {
  return row.plan.method != "null" && std::any_of(row.trials.begin(), row.trials.end(), is_valid);
}

std::string range(const estimate& figure) {
  return fmt::format("{}-{}", format_figure(figure.range.low), format_figure(figure.range.high));
}

// The median of a count that not every trial may have.
std::string median_count(const std::vector<trial>& trials, std::optional<std::uint64_t> trial::*count) {
  std::vector<double> values;
  for (const trial& made : trials)
    if (const auto value = made.*count) values.push_back(static_cast<double>(*value));
  return values.empty() ? "-" : fmt::format("{:.0f}", median(values));
}

std::string verdict(const bench_row& row) {
  std::set<std::string> reasons;
  std::size_t invalid = 0;
  for (const trial& made : row.trials) {
    if (!is_valid(made)) ++invalid;
    reasons.insert(made.reasons.begin(), made.reasons.end());
  }
  if (reasons.empty()) return "valid";
  const std::string kind = invalid == 0                   ? "unknown"
                           : invalid == row.trials.size() ? "invalid"
                                                          : fmt::format("{} of {} invalid", invalid, row.trials.size());
  return fmt::format("{}: {}", kind, *reasons.begin());
}

std::string depth_of(const trial_plan& plan) { return plan.depth == 0 ? "-" : std::to_string(plan.depth); }
std::string block_of(const trial_plan& plan) { return plan.block == 0 ? "-" : format_size(plan.block); }

std::vector<table::column> columns_of(trial_class what) {
  using enum table::side;
  if (reads(what))
    return {{"METHOD", left}, {"BLOCK"},        {"DEPTH"},   {"MB/s"},    {"95 %"},
            {"CPU s/GB"},     {"DEVICE READS"}, {"EXTENTS"}, {"OF BEST"}, {"VERDICT", left}};
  return {{"METHOD", left}, {"BLOCK"},    {"DEPTH"},         {"MB/s TO CLOSE"}, {"95 %"},    {"TO DISK"},
          {"95 %"},         {"CPU s/GB"}, {"DEVICE WRITES"}, {"EXTENTS"},       {"OF BEST"}, {"VERDICT", left}};
}

void add_row(table& list, const bench_row& row, double best) {
  const auto trials = telling(row);
  const bool reading = reads(row.plan.what);
  const estimate to_close = median_of(trials, [](const trial& made) { return made.rate_to_close(); });
  const estimate to_disk = median_of(trials, [](const trial& made) { return made.rate_to_disk(); });
  const estimate cpu =
      median_of(trials, [](const trial& made) { return made.cpu_whole / static_cast<double>(made.bytes) * 1e9; });
  std::vector<std::string> cells{row.plan.method, block_of(row.plan), depth_of(row.plan), format_figure(to_close.value),
                                 range(to_close)};
  if (!reading) cells.insert(cells.end(), {format_figure(to_disk.value), range(to_disk)});
  const auto transfers = reading ? &trial::device_reads : &trial::device_writes;
  cells.insert(cells.end(), {fmt::format("{:.3f}", cpu.value), median_count(trials, transfers),
                             median_count(trials, &trial::extents),
                             may_be_best(row) ? fmt::format("{:.2f}", ranking_rate(row) / best) : "-", verdict(row)});
  list.add(std::move(cells));
}

std::string class_report(trial_class what, const std::vector<const bench_row*>& rows) {
  double best = 0;
  for (const bench_row* row : rows)
    if (may_be_best(*row)) best = std::max(best, ranking_rate(*row));
  table list{columns_of(what)};
  std::string left_out;
  for (const bench_row* row : rows)
    if (row->trials.empty())
      left_out += fmt::format("{}: not measured: {}\n", describe(row->plan), row->why_not);
    else
      add_row(list, *row, best);
  return list.text() + left_out;
}

std::string heading(trial_class what) {
  if (reads(what)) return fmt::format("reading {}, ranked by time to close\n", to_string(what));
  return fmt::format("durability {}, ranked by time to {}\n", to_string(what), ranks_by_disk(what) ? "disk" : "close");
}

}  // namespace

std::string bench_report(std::span<const bench_row> rows) {
  std::string report;
  for (const trial_class what : all_classes) {
    std::vector<const bench_row*> of_class;
    for (const bench_row& row : rows)
      if (row.plan.what == what) of_class.push_back(&row);
    if (of_class.empty()) continue;
    report += (report.empty() ? "" : "\n") + heading(what) + class_report(what, of_class);
  }
  return report;
}

}  // namespace freshet::tool
