#include "lab/bytes/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>

#include "lab/bytes/byte_trial.hpp"
#include "tool/analysis/comparison_text.hpp"
#include "tool/base/text.hpp"
#include "tool/report/table.hpp"
#include "tool/report/verdict_report.hpp"
#include "tool/search/candidate_figures.hpp"
#include "tool/search/comparison.hpp"
#include "tool/search/reasons.hpp"
#include "tool/trial/gates.hpp"

namespace freshet::tool {
namespace {

// The usable trials of a row, and what they come to.
struct measured_row {
  const candidate* entry = nullptr;
  std::vector<const trial_result*> usable = {};
  std::vector<double> rates = {};   // MB/s until closed
  double rate = 0;                  // the median; 0 if no trial is usable
  std::string why_impossible = {};  // empty if the figure can be right

  [[nodiscard]] std::string_view way() const noexcept { return entry->plan.method; }
  [[nodiscard]] bool by_blocks() const { return way_of(entry->plan).by_blocks; }
};

// The rows of one direction. All of them show how much trials vary.
struct byte_table {
  std::vector<candidate> candidates = {};
  std::vector<measured_row> rows = {};
  double noise = usual_noise;
};

measured_row measure(const candidate& entry) {
  measured_row measured{.entry = &entry, .usable = usable_samples(entry)};
  measured.rates = collect(measured.usable, &trial_result::rate_to_close);
  if (!measured.rates.empty()) measured.rate = median(measured.rates);
  return measured;
}

std::string format_spread(const measured_row& row) {
  return row.rates.empty() ? "-" : fmt::format("{:.1f} %", 100 * median_deviation(row.rates) / row.rate);
}

std::string cpu(const measured_row& row) {
  return row.usable.empty() ? "-" : format_figure(median(collect(row.usable, &trial_result::cpu_per_gb)));
}

// How the row's time compares with that of the reference. Nothing if one of them has no usable trial.
std::optional<comparison> compare_rows(const byte_table& all, const measured_row& row, const measured_row* reference) {
  if (reference == nullptr || row.usable.empty() || reference->usable.empty()) return {};
  return compare(*row.entry, *reference->entry, {.noise = all.noise});
}

// How many times as fast it is, and the range of that.
// Empty for the reference itself, whatever its buffer.
std::array<std::string, 2> relative(const byte_table& all, const measured_row& row, const measured_row* reference) {
  if (reference != nullptr && row.way() == reference->way()) return {};
  const auto against = compare_rows(all, row, reference);
  if (!against) return {"-", "-"};
  const estimate times = inverted(*against).ratio;
  return {fmt::format("{:.2f}", times.value), against->ratio.range.low > 0 ? format_range(times.range) : ""};
}

const measured_row* find(const byte_table& all, std::string_view way, std::size_t buffer) {
  const auto at = std::ranges::find_if(
      all.rows, [&](const measured_row& row) { return row.way() == way && row.entry->plan.block == buffer; });
  return at == all.rows.end() ? nullptr : &*at;
}

// The ways in the order of the rows, each by its fastest row.
std::vector<const measured_row*> list_ways(const byte_table& all) {
  std::vector<const measured_row*> ways;
  for (const measured_row& row : all.rows) {
    const auto known = std::ranges::find(ways, row.way(), &measured_row::way);
    if (known == ways.end())
      ways.push_back(&row);
    else if (row.rate > (*known)->rate)
      *known = &row;
  }
  return ways;
}

// A way without the lock, and the same with it.
struct way_pair {
  std::string_view way, other;
};
constexpr std::array lock_pairs{way_pair{"fwrite_unlocked", "fwrite"}, way_pair{"fwrite+tune", "fwrite"},
                                way_pair{"fwrite+header", "fwrite"},   way_pair{"putc_unlocked", "putc"},
                                way_pair{"fread_unlocked", "fread"},   way_pair{"fread+tune", "fread"},
                                way_pair{"fread+header", "fread"},     way_pair{"getc_unlocked", "getc"}};

// A function called for each byte, and for 64 KiB at a time.
constexpr std::array block_pairs{way_pair{"fwrite", "fwrite-64K"}, way_pair{"fread", "fread-64K"}};

// How the row compares with the other way of its pair with the same buffer.
std::optional<comparison> compare_pair(const byte_table& all, const measured_row& row, const way_pair& pair) {
  if (row.way() != pair.way) return {};
  return compare_rows(all, row, find(all, pair.other, row.entry->plan.block));
}

// Why the row's figure cannot be right; empty if it can. Either it was measured wrongly, or the row does not do what
// its name says.
std::string find_why_impossible(const byte_table& all, const measured_row& row, double loop_rate) {
  if (row.rates.empty()) return {};
  const bool has_loop = !reads(row.entry->plan.measured_class) && !row.by_blocks();
  if (has_loop && estimate_median(row.rates).range.low > loop_rate)
    return fmt::format("faster than the loop around the calls alone, {} MB/s", format_figure(loop_rate));
  for (const way_pair& pair : lock_pairs)
    if (const auto against = compare_pair(all, row, pair); against && against->ratio.range.low > 1)
      return fmt::format("without the lock, it is {} than {} with it", format_gain(*against), pair.other);
  for (const way_pair& pair : block_pairs)
    if (const auto against = compare_pair(all, row, pair);
        against && against->ratio.range.low > 0 && against->ratio.range.high < 1)
      return fmt::format("a byte at a time, it is {} than 64 KiB at a time", format_gain(*against));
  return {};
}

std::string format_impossible(const byte_table& all) {
  std::string text;
  for (const measured_row& row : all.rows)
    if (!row.why_impossible.empty())
      text += fmt::format("! {} cannot be right: {}\n", describe_way(row.entry->plan), row.why_impossible);
  return text;
}

std::string format_rate(const measured_row* row) {
  if (row == nullptr) return "-";
  return (row->why_impossible.empty() ? "" : "! ") + (row->rate == 0 ? "invalid" : format_figure(row->rate));
}

std::string format_table(const byte_table& all, std::string_view reference) {
  std::set<std::size_t> buffers;
  for (const measured_row& row : all.rows) buffers.insert(row.entry->plan.block);
  using side = table::side;
  std::vector<table::column> columns{{"WAY", side::left}};
  for (const std::size_t buffer : buffers) columns.push_back({buffer == 0 ? "DEFAULT" : format_size(buffer)});
  columns.insert(columns.end(), {{"SPREAD"}, {"CPU s/GB"}, {fmt::format("x {}", reference)}, {"range"}});
  table list{columns};
  const measured_row* base = find(all, reference, 0);
  for (const measured_row* best : list_ways(all)) {
    std::vector<std::string> cells{std::string{best->way()}};
    for (const std::size_t buffer : buffers) cells.push_back(format_rate(find(all, best->way(), buffer)));
    const auto [times, range] = relative(all, *best, base);
    cells.insert(cells.end(), {format_spread(*best), cpu(*best), times, range});
    list.add(std::move(cells));
  }
  return list.text();
}

// The invalid trials, and why they are invalid.
std::string format_invalid(const byte_table& all) {
  std::string text;
  for (const measured_row& row : all.rows) {
    std::vector<const trial_result*> invalid;
    for (const trial_result& trial : row.entry->trials)
      if (trial.validity == trial_validity::invalid) invalid.push_back(&trial);
    if (!invalid.empty())
      text += fmt::format("{}: {} of {} invalid: {}\n", describe_way(row.entry->plan), invalid.size(),
                          row.entry->trials.size(), first_reason(*invalid.front()));
  }
  return text;
}

std::string format_near_loop(const byte_table& all, double loop_rate) {
  std::vector<std::string_view> names;
  for (const measured_row* best : list_ways(all))
    if (!best->by_blocks() && best->rate * ceiling_distance > loop_rate) names.push_back(best->way());
  if (names.empty()) return {};
  return fmt::format("The loop around the calls alone makes {} MB/s: it takes a large part of the time of {}.\n",
                     format_figure(loop_rate), fmt::join(names, ", "));
}

std::string part(std::span<const candidate> rows, direction goes, std::string_view title, std::string_view reference,
                 double loop_rate) {
  byte_table all;
  std::ranges::copy_if(rows, std::back_inserter(all.candidates),
                       [=](const candidate& row) { return way_of(row.plan).goes == goes; });
  if (all.candidates.empty()) return {};
  for (const candidate& each : all.candidates) all.rows.push_back(measure(each));
  all.noise = estimate_noise(all.candidates);
  for (measured_row& row : all.rows) row.why_impossible = find_why_impossible(all, row, loop_rate);
  return fmt::format("{}\n{}{}{}{}", title, format_table(all, reference), format_impossible(all), format_invalid(all),
                     format_near_loop(all, loop_rate));
}

}  // namespace

std::string format_byte_rows(std::span<const candidate> rows, double loop_rate) {
  const std::string writing =
      part(rows, direction::write, "Writing one byte per call: MB/s to close, by buffer", "fwrite", loop_rate);
  const std::string reading =
      part(rows, direction::read, "Reading one byte per call from the page cache: MB/s, by buffer", "fread", loop_rate);
  return writing + (writing.empty() || reading.empty() ? "" : "\n") + reading;
}

}  // namespace freshet::tool
