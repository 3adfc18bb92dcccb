#include "lab/sweep/lines_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "lab/sweep/published.hpp"
#include "tool/base/json_optional.hpp"
#include "tool/base/text.hpp"
#include "tool/report/screen.hpp"
#include "tool/report/table.hpp"
#include "tool/search/counted_trials.hpp"
#include "tool/search/statistics.hpp"

namespace freshet::tool {
namespace {

std::uint64_t read_number(const nlohmann::json& plan, const char* name) {
  const auto value = plan.find(name);
  return value != plan.end() && value->is_number_unsigned() ? value->get<std::uint64_t>() : 0;
}

// "streaming, buffers of 64 KiB, access once"
std::string describe_way(const fastest_at_work& what, const nlohmann::json& plan) {
  std::string words = what.strategy;
  if (const std::uint64_t buffer = read_number(plan, "buffer"); buffer != 0)
    words += fmt::format(", buffers of {}", format_size(buffer));
  for (const char* const option : {"access", "caching"})
    if (const auto value = plan.find(option); value != plan.end() && value->is_string())
      words += fmt::format(", {} {}", option, value->get<std::string>());
  if (what.ranks > 1) words += fmt::format(", {} ranks", what.ranks);
  return words;
}

std::optional<double> find_published(const fastest_at_work& what, const report_row& row, std::uint64_t bytes) {
  const std::uint64_t files = read_number(row.plan, "files");
  if (files == 0 || bytes % files != 0 || what.ranks > 1) return {};
  return published_speed(
      {.bytes_per_file = bytes / files, .strategy = what.strategy, .threads = what.threads, .work = what.work});
}

/// A row of the tables: threads and way.
using grid_row = std::pair<unsigned, std::string>;

table start_table(const std::set<unsigned>& levels) {
  std::vector<table::column> columns{{"THREADS"}, {"STRATEGY", table::side::left}};
  for (const unsigned work : levels) columns.push_back({fmt::format("WORK {}", work)});
  return table{std::move(columns)};
}

// The fastest cell of each level of work.
std::map<unsigned, const line_cell*> find_best(const std::vector<line_cell>& cells) {
  std::map<unsigned, const line_cell*> best;
  for (const line_cell& each : cells) {
    const line_cell*& least = best[each.what.work];
    if (least == nullptr || each.what.seconds < least->what.seconds) least = &each;
  }
  return best;
}

template <typename Show>
std::string format_grid(const std::vector<line_cell>& cells, const Show& show) {
  std::set<unsigned> levels;
  std::map<grid_row, std::map<unsigned, const line_cell*>> rows;
  for (const line_cell& each : cells) {
    levels.insert(each.what.work);
    rows[{each.what.threads, each.way}][each.what.work] = &each;
  }
  table grid = start_table(levels);
  for (const auto& [row, by_work] : rows) {
    std::vector<std::string> texts{std::to_string(row.first), row.second};
    for (const unsigned work : levels) {
      const auto cell = by_work.find(work);
      texts.push_back(cell == by_work.end() ? "-" : show(*cell->second));
    }
    grid.add(std::move(texts));
  }
  return grid.folded(2);
}

}  // namespace

std::string format_speed(double megabytes, std::optional<double> published) {
  const std::string speed = format_figure(megabytes);
  return published ? fmt::format("{} ({})", speed, format_figure(*published)) : speed;
}

std::string speed_heading(bool has_published, std::size_t columns) {
  if (!has_published) return "MB/s of input\n";
  return wrapped(
      fmt::format("MB/s of input, and in brackets what was published for the same cell ({})", published_setting), 2,
      columns);
}

std::vector<line_cell> list_line_cells(const report_group& group, unsigned processors) {
  std::vector<line_cell> cells;
  for (std::size_t row = 0; row < group.rows.size(); ++row) {
    line_cell cell{.what = summarize_cell(group, row, processors), .way = {}, .published = {}};
    const std::vector<const trial_result*> usable = usable_samples(group.candidates[row]);
    if (usable.empty() || cell.what.seconds == 0) continue;
    const std::vector<double> seconds = collect(usable, &trial_result::seconds_to_close);
    cell.way = describe_way(cell.what, group.rows[row].plan);
    cell.spread = median_deviation(seconds) / cell.what.seconds;
    cell.megabytes = median(collect(usable, &trial_result::rate_to_close));
    cell.published = find_published(cell.what, group.rows[row], usable.front()->bytes);
    cell.trials = usable.size();
    cells.push_back(std::move(cell));
  }
  const auto place = [](const line_cell& cell) { return std::tuple{cell.what.threads, cell.way, cell.what.work}; };
  std::ranges::stable_sort(cells, {}, place);
  return cells;
}

std::string format_with_spread(double value, double spread, std::size_t trials) {
  if (trials < 2) return format_figure(value);
  return fmt::format("{} ±{:.0f} %", format_figure(value), 100 * spread);
}

std::string format_line_cells(const report_group& group, unsigned processors, std::size_t columns) {
  const std::vector<line_cell> cells = list_line_cells(group, processors);
  if (cells.empty()) return {};
  const std::map<unsigned, const line_cell*> best = find_best(cells);
  const auto show_seconds = [&](const line_cell& cell) {
    return fmt::format("{}{}", best.at(cell.what.work) == &cell ? "*" : "",
                       format_with_spread(cell.what.seconds, cell.spread, cell.trials));
  };
  std::string text =
      "Seconds until all files were closed; * marks the best of each column\n" + format_grid(cells, show_seconds);
  const bool has_published =
      std::ranges::any_of(cells, [](const line_cell& cell) { return cell.published.has_value(); });
  const auto show_speed = [](const line_cell& cell) { return format_speed(cell.megabytes, cell.published); };
  return text + speed_heading(has_published, columns) + format_grid(cells, show_speed);
}

void to_json(nlohmann::json& out, const line_cell& cell) {
  out = {{"strategy", cell.what.strategy},  {"way", cell.way},
         {"threads", cell.what.threads},    {"ranks", cell.what.ranks},
         {"work", cell.what.work},          {"trials", cell.trials},
         {"seconds", cell.what.seconds},    {"spread", cell.spread},
         {"mb_per_second", cell.megabytes}, {"published_mb_per_second", cell.published},
         {"busy", cell.what.busy}};
}

}  // namespace freshet::tool
