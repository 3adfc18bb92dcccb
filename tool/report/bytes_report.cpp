#include "tool/report/bytes_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "tool/analysis/comparison_text.hpp"
#include "tool/base/text.hpp"
#include "tool/report/table.hpp"
#include "tool/report/verdict_report.hpp"
#include "tool/search/comparison.hpp"
#include "tool/trial/gates.hpp"

namespace freshet::tool {
namespace {

using byte_rows = std::vector<const byte_row*>;

bool is_valid(const trial_result& trial) { return trial.validity != trial_validity::invalid; }

std::vector<const trial_result*> valid_trials(const byte_row& row) {
  std::vector<const trial_result*> valid;
  for (const trial_result& trial : row.trials)
    if (is_valid(trial)) valid.push_back(&trial);
  return valid;
}

std::vector<double> rates(const byte_row& row) { return collect(valid_trials(row), &trial_result::rate_to_close); }

// 0 if no trial is valid.
double rate(const byte_row& row) {
  const auto values = rates(row);
  return values.empty() ? 0 : median(values);
}

std::string format_rate(const byte_row& row) { return rate(row) == 0 ? "invalid" : format_figure(rate(row)); }

std::string spread(const byte_row& row) {
  const auto values = rates(row);
  return values.empty() ? "-" : fmt::format("{:.1f} %", 100 * median_deviation(values) / median(values));
}

std::string cpu(const byte_row& row) {
  const auto values = collect(valid_trials(row), &trial_result::cpu_per_gb);
  return values.empty() ? "-" : format_figure(median(values));
}

bool has_usable_trial(const byte_row& row) { return std::ranges::any_of(row.trials, &trial_result::is_usable); }

// The rows of one direction. All of them show how much trials vary.
struct byte_table {
  byte_rows rows;
  double noise = usual_noise;
};

// How the row's time compares with that of the reference. Nothing if one of them has no valid trial.
std::optional<comparison> compare_rows(const byte_row& row, const byte_row* reference, double noise) {
  if (reference == nullptr || !has_usable_trial(row) || !has_usable_trial(*reference)) return {};
  return compare({.plan = {}, .trials = row.trials}, {.plan = {}, .trials = reference->trials}, {.noise = noise});
}

// How many times as fast it is, and the range of that.
std::vector<std::string> relative(const byte_row& row, const byte_row* reference, double noise) {
  if (&row == reference && has_usable_trial(row)) return {"1.00", ""};
  const auto against = compare_rows(row, reference, noise);
  if (!against) return {"-", "-"};
  const estimate times = inverted(*against).ratio;
  return {fmt::format("{:.2f}", times.value), against->ratio.range.low > 0 ? format_range(times.range) : ""};
}

const byte_row* find(const byte_rows& rows, std::string_view way, std::size_t buffer) {
  const auto at = std::find_if(rows.begin(), rows.end(), [&](const byte_row* row) {
    return row->plan.way->name == way && row->plan.buffer == buffer;
  });
  return at == rows.end() ? nullptr : *at;
}

std::vector<std::string_view> list_ways(const byte_rows& rows) {
  std::vector<std::string_view> ways;
  for (const byte_row* row : rows)
    if (std::find(ways.begin(), ways.end(), row->plan.way->name) == ways.end()) ways.push_back(row->plan.way->name);
  return ways;
}

// Precondition: there is a row of that way.
const byte_row& fastest(const byte_rows& rows, std::string_view way) {
  const byte_row* best = nullptr;
  for (const byte_row* row : rows)
    if (row->plan.way->name == way && (best == nullptr || rate(*row) > rate(*best))) best = row;
  return *best;
}

// A way without the lock, and the same with it.
struct lock_pair {
  std::string_view without, with;
};
constexpr std::array lock_pairs{lock_pair{"fwrite_unlocked", "fwrite"}, lock_pair{"fwrite+tune", "fwrite"},
                                lock_pair{"fwrite+header", "fwrite"},   lock_pair{"putc_unlocked", "putc"},
                                lock_pair{"fread_unlocked", "fread"},   lock_pair{"fread+tune", "fread"},
                                lock_pair{"fread+header", "fread"},     lock_pair{"getc_unlocked", "getc"}};

// A function called for each byte, and for 64 KiB at a time.
struct block_pair {
  std::string_view by_bytes, by_blocks;
};
constexpr std::array block_pairs{block_pair{"fwrite", "fwrite-64K"}, block_pair{"fread", "fread-64K"}};

// Why the row's figure cannot be right; empty if it can. Either it was measured wrongly, or the row does not do what
// its name says.
std::string why_impossible(const byte_row& row, const byte_table& all, double loop_rate) {
  const auto values = rates(row);
  if (values.empty()) return {};
  const bool has_loop = row.plan.way->goes == direction::write && !row.plan.way->by_blocks;
  if (has_loop && estimate_median(values).range.low > loop_rate)
    return fmt::format("faster than the loop around the calls alone, {} MB/s", format_figure(loop_rate));
  for (const lock_pair& pair : lock_pairs) {
    if (row.plan.way->name != pair.without) continue;
    const auto against = compare_rows(row, find(all.rows, pair.with, row.plan.buffer), all.noise);
    if (against && against->ratio.range.low > 1)
      return fmt::format("without the lock, it is {} than {} with it", format_gain(*against), pair.with);
  }
  for (const block_pair& pair : block_pairs) {
    if (row.plan.way->name != pair.by_bytes) continue;
    const auto against = compare_rows(row, find(all.rows, pair.by_blocks, row.plan.buffer), all.noise);
    if (against && against->ratio.range.low > 0 && against->ratio.range.high < 1)
      return fmt::format("a byte at a time, it is {} than 64 KiB at a time", format_gain(*against));
  }
  return {};
}

std::string format_impossible(const byte_table& all, double loop_rate) {
  std::string text;
  for (const byte_row* row : all.rows)
    if (const std::string reason = why_impossible(*row, all, loop_rate); !reason.empty())
      text += fmt::format("! {} cannot be right: {}\n", describe(row->plan), reason);
  return text;
}

std::string format_table(const byte_table& all, std::string_view reference, double loop_rate) {
  const byte_rows& rows = all.rows;
  std::set<std::size_t> buffers;
  for (const byte_row* row : rows) buffers.insert(row->plan.buffer);
  using side = table::side;
  std::vector<table::column> columns{{"WAY", side::left}};
  for (const std::size_t buffer : buffers) columns.push_back({buffer == 0 ? "DEFAULT" : format_size(buffer)});
  columns.insert(columns.end(), {{"SPREAD"}, {"CPU s/GB"}, {fmt::format("x {}", reference)}, {"range"}});
  table list{columns};
  const byte_row* base = find(rows, reference, 0);
  for (const std::string_view way : list_ways(rows)) {
    std::vector<std::string> cells{std::string{way}};
    for (const std::size_t buffer : buffers) {
      const byte_row* row = find(rows, way, buffer);
      const bool is_possible = row == nullptr || why_impossible(*row, all, loop_rate).empty();
      cells.push_back(row == nullptr ? "-" : (is_possible ? "" : "! ") + format_rate(*row));
    }
    const byte_row& best = fastest(rows, way);
    cells.insert(cells.end(), {spread(best), cpu(best)});
    for (std::string& cell : relative(best, base, all.noise)) cells.push_back(std::move(cell));
    list.add(std::move(cells));
  }
  return list.text();
}

// The invalid trials, and why they are invalid.
std::string format_invalid(const byte_rows& rows) {
  std::string text;
  for (const byte_row* row : rows) {
    std::set<std::string> reasons;
    for (const trial_result& trial : row->trials)
      if (!is_valid(trial)) reasons.insert(trial.reasons.begin(), trial.reasons.end());
    const auto invalid = std::ranges::count(row->trials, false, is_valid);
    if (invalid != 0)
      text +=
          fmt::format("{}: {} of {} invalid: {}\n", describe(row->plan), invalid, row->trials.size(), *reasons.begin());
  }
  return text;
}

std::string format_near_loop(const byte_rows& rows, double loop_rate) {
  std::vector<std::string_view> names = list_ways(rows);
  std::erase_if(names, [&](std::string_view way) {
    const byte_row& best = fastest(rows, way);
    return best.plan.way->by_blocks || rate(best) * ceiling_distance <= loop_rate;
  });
  if (names.empty()) return {};
  return fmt::format("The loop around the calls alone makes {} MB/s: it takes a large part of the time of {}.\n",
                     format_figure(loop_rate), fmt::join(names, ", "));
}

std::string part(std::span<const byte_row> rows, direction goes, std::string_view title, std::string_view reference,
                 double loop_rate) {
  byte_table chosen;
  std::vector<candidate> candidates;
  for (const byte_row& row : rows) {
    if (row.plan.way->goes != goes) continue;
    chosen.rows.push_back(&row);
    candidates.push_back({.plan = {}, .trials = row.trials});
  }
  if (chosen.rows.empty()) return {};
  chosen.noise = estimate_noise(candidates);
  return fmt::format("{}\n{}{}{}{}", title, format_table(chosen, reference, loop_rate),
                     format_impossible(chosen, loop_rate), format_invalid(chosen.rows),
                     format_near_loop(chosen.rows, loop_rate));
}

}  // namespace

std::string format_byte_rows(std::span<const byte_row> rows, double loop_rate) {
  const std::string writing =
      part(rows, direction::write, "Writing one byte per call: MB/s to close, by buffer", "fwrite", loop_rate);
  const std::string reading =
      part(rows, direction::read, "Reading one byte per call from the page cache: MB/s, by buffer", "fread", loop_rate);
  return writing + (writing.empty() || reading.empty() ? "" : "\n") + reading;
}

}  // namespace freshet::tool
