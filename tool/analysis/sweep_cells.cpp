#include "tool/analysis/sweep_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tool/base/size.hpp"

namespace freshet::tool {
namespace {

unsigned read_count(const nlohmann::json& plan, const char* name, unsigned otherwise) {
  const auto value = plan.find(name);
  return value != plan.end() && value->is_number_unsigned() ? value->get<unsigned>() : otherwise;
}

double compute_median_seconds(const candidate& entry) {
  std::vector<double> seconds;
  for (const trial_result* trial : usable_samples(entry)) seconds.push_back(trial->seconds_to_close);
  return seconds.empty() ? 0 : median(std::move(seconds));
}

std::optional<double> compute_median_load(const report_group& group, std::size_t row, unsigned threads,
                                          unsigned processors) {
  std::vector<double> shares;
  const candidate& entry = group.candidates[row];
  for (const trial_result* trial : usable_samples(entry)) {
    const double cpu = group.rows[row].cpu_to_close[static_cast<std::size_t>(trial - entry.trials.data())];
    const double share = compute_busy_share(cpu, trial->seconds_to_close, threads, processors);
    if (std::isfinite(share)) shares.push_back(share);
  }
  if (shares.empty()) return {};
  return median(std::move(shares));
}

std::string describe(const fastest_at_work& cell) {
  return fmt::format("{} with {} thread{} ({} s)", cell.strategy, cell.threads, cell.threads == 1 ? "" : "s",
                     format_figure(cell.seconds));
}

// The fastest cell of each work level, by work.
std::vector<fastest_at_work> find_fastest_cells(const report_group& group, unsigned processors) {
  std::map<unsigned, fastest_at_work> fastest;
  for (std::size_t row = 0; row < group.rows.size(); ++row) {
    const fastest_at_work cell = summarize_cell(group, row, processors);
    if (cell.seconds == 0) continue;
    const auto [at, is_new] = fastest.try_emplace(cell.work, cell);
    if (!is_new && cell.seconds < at->second.seconds) at->second = cell;
  }
  std::vector<fastest_at_work> levels;
  for (auto& [work, cell] : fastest) levels.push_back(std::move(cell));
  return levels;
}

}  // namespace

fastest_at_work summarize_cell(const report_group& group, std::size_t row, unsigned processors) {
  const report_row& about = group.rows[row];
  const candidate& entry = group.candidates[row];
  const unsigned threads = read_count(about.plan, "threads", std::max(entry.plan.jobs, 1U));
  const unsigned ranks = read_count(about.plan, "ranks", 1);
  return {.work = read_count(about.plan, "work", 0),
          .strategy = about.method,
          .threads = threads,
          .ranks = ranks,
          .seconds = compute_median_seconds(entry),
          .busy = compute_median_load(group, row, threads * ranks, processors)};
}

std::optional<unsigned> find_crossover(const report_group& group, unsigned processors) {
  return find_crossover(find_fastest_cells(group, processors));
}

group_verdict make_sweep_verdict(const report_group& group, unsigned processors) {
  const std::vector<fastest_at_work> levels = find_fastest_cells(group, processors);
  if (levels.empty())
    return {.state = "none", .headline = "No trial is valid, so there is no verdict.", .remarks = {}, .ranking = {}};
  group_verdict verdict{.state = "sweep", .headline = {}, .remarks = {}, .ranking = {}};
  verdict.headline = fmt::format("Fastest at work {}: {}", levels.front().work, describe(levels.front()));
  if (levels.size() > 1)
    verdict.headline += fmt::format("; at work {}: {}", levels.back().work, describe(levels.back()));
  verdict.headline += '.';
  verdict.remarks.push_back(describe_crossover(levels, processors));
  return verdict;
}

}  // namespace freshet::tool
