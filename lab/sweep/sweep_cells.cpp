#include "lab/sweep/sweep_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <vector>

#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

bool is_busy(const fastest_at_work& level) { return level.busy.value_or(0) >= busy_enough; }

// Whether others had the processors for most of the time in which it could have used them: what it waits for without
// them is not known then.
bool is_held_up(const fastest_at_work& level) {
  return level.busy && level.waited / level.seconds >= (1 - *level.busy) / 2 && !is_busy(level);
}

// "auto with 2 threads keeps 2 processors busy for 97 % of the time at work 100"
std::string describe_load(const fastest_at_work& level, unsigned processors) {
  const unsigned threads = level.threads * level.ranks;
  const std::string whose = threads > processors ? format_count(processors, "processor")
                            : threads == 1       ? std::string{"its thread"}
                                                 : fmt::format("its {} threads", threads);
  return fmt::format("{} with {} keeps {} busy for {:.0f} % of the time at work {}", level.strategy,
                     format_count(level.threads, "thread"), whose, 100 * level.busy.value(), level.work);
}

unsigned read_count(const nlohmann::json& plan, const char* name, unsigned otherwise) {
  const auto value = plan.find(name);
  return value != plan.end() && value->is_number_unsigned() ? value->get<unsigned>() : otherwise;
}

double compute_median_seconds(const candidate& entry) {
  std::vector<double> seconds = collect(usable_samples(entry), &trial_result::seconds_to_close);
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
  return fmt::format("{} with {} ({} s)", cell.strategy, format_count(cell.threads, "thread"),
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

// Of levels at which the processors were there when they were needed.
std::string describe_shown_limits(std::span<const fastest_at_work> levels, unsigned processors) {
  if (!std::ranges::all_of(levels, [](const fastest_at_work& level) { return level.busy.has_value(); }))
    return "It was not recorded whether the disk or the CPU is the limit.";
  const std::optional<unsigned> from = find_crossover(levels);
  const auto load = [&](const fastest_at_work& level) { return describe_load(level, processors); };
  if (!std::ranges::is_partitioned(levels, [](const fastest_at_work& level) { return !is_busy(level); })) {
    std::vector<std::string> loads;
    for (const fastest_at_work& level : levels) loads.push_back(load(level));
    return fmt::format("It is unclear up to which work level the disk is the limit: {}.", fmt::join(loads, "; "));
  }
  const std::string_view every = levels.size() == 1 ? "" : "every level ";
  if (!from)
    return fmt::format("The disk is the limit at {}{}work {}: the fastest, {}.", every, every.empty() ? "" : "up to ",
                       levels.back().work, load(levels.back()));
  if (*from == levels.front().work)
    return fmt::format("The CPU is the limit at {}{}work {}: the fastest, {}.", every, every.empty() ? "" : "from ",
                       levels.front().work, load(levels.front()));
  const auto first_busy = std::ranges::find(levels, *from, &fastest_at_work::work);
  return fmt::format("The disk is the limit up to work {}, the CPU from work {} on: the fastest there, {}, and {}.",
                     std::prev(first_busy)->work, first_busy->work, load(*std::prev(first_busy)), load(*first_busy));
}

}  // namespace

double compute_median_wait(std::span<const trial_result* const> trials) {
  std::vector<double> seconds;
  for (const trial_result* trial : trials) seconds.push_back(trial->cpu_waited.value_or(0));
  return seconds.empty() ? 0 : median(std::move(seconds));
}

double compute_busy_share(double cpu_seconds, double seconds, unsigned threads, unsigned processors) {
  return cpu_seconds / (seconds * std::min(threads, std::max(processors, 1U)));
}

std::optional<unsigned> find_crossover(std::span<const fastest_at_work> levels) {
  std::optional<unsigned> from;
  for (auto level = levels.rbegin(); level != levels.rend() && is_busy(*level); ++level) from = level->work;
  return from;
}

std::string describe_crossover(std::span<const fastest_at_work> levels, unsigned processors) {
  std::vector<fastest_at_work> free;
  std::string held_up;
  for (const fastest_at_work& level : levels) {
    if (!is_held_up(level))
      free.push_back(level);
    else
      held_up += fmt::format("{}What limits work {} is not known: others had the processors for {:.2f} s of {:.2f}.",
                             held_up.empty() ? "" : " ", level.work, level.waited, level.seconds);
  }
  if (free.empty()) return held_up;
  const std::string shown = describe_shown_limits(free, processors);
  return held_up.empty() ? shown : shown + " " + held_up;
}

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
          .busy = compute_median_load(group, row, threads * ranks, processors),
          .waited = compute_median_wait(usable_samples(entry))};
}

std::optional<unsigned> find_crossover(const report_group& group, unsigned processors) {
  return find_crossover(find_fastest_cells(group, processors));
}

group_verdict make_sweep_verdict(const report_group& group, unsigned processors) {
  const std::vector<fastest_at_work> levels = find_fastest_cells(group, processors);
  if (levels.empty()) return {.state = "none", .headline = "No trial is valid, so there is no verdict."};
  group_verdict verdict{.state = "sweep"};
  verdict.headline = fmt::format("Fastest at work {}: {}", levels.front().work, describe(levels.front()));
  if (levels.size() > 1)
    verdict.headline += fmt::format("; at work {}: {}", levels.back().work, describe(levels.back()));
  verdict.headline += '.';
  verdict.remarks.push_back(describe_crossover(levels, processors));
  return verdict;
}

}  // namespace freshet::tool
