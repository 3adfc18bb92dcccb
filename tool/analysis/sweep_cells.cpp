#include "tool/analysis/sweep_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "tool/base/size.hpp"
#include "tool/sweep/findings.hpp"

namespace freshet::tool {
namespace {

unsigned count_in(const nlohmann::json& plan, const char* name, unsigned otherwise) {
  const auto found = plan.find(name);
  return found != plan.end() && found->is_number_unsigned() ? found->get<unsigned>() : otherwise;
}

double median_seconds(const candidate& who) {
  std::vector<double> seconds;
  for (const trial_result* made : evidence(who)) seconds.push_back(made->seconds_to_close);
  return seconds.empty() ? 0 : median(std::move(seconds));
}

// Threads beyond the processors can't be busy.
std::optional<double> busy_of(const report_group& group, std::size_t row, unsigned threads, unsigned processors) {
  std::vector<double> shares;
  const candidate& who = group.field[row];
  for (const trial_result* made : evidence(who)) {
    const double cpu = group.rows[row].cpu_to_close[static_cast<std::size_t>(made - who.trials.data())];
    const double share = cpu / (made->seconds_to_close * std::min(threads, std::max(processors, 1U)));
    if (std::isfinite(share)) shares.push_back(share);
  }
  if (shares.empty()) return {};
  return median(std::move(shares));
}

std::string in_words(const sweep_place& cell) {
  return fmt::format("{} with {} thread{} ({} s)", cell.strategy, cell.threads, cell.threads == 1 ? "" : "s",
                     format_figure(cell.seconds));
}

/// The fastest cell of each work level.
std::map<unsigned, sweep_place> fastest_by_work(const report_group& group, unsigned processors) {
  std::map<unsigned, sweep_place> fastest;
  for (std::size_t row = 0; row < group.rows.size(); ++row) {
    const sweep_place cell = sweep_place_of(group, row, processors);
    if (cell.seconds == 0) continue;
    const auto [at, is_new] = fastest.try_emplace(cell.work, cell);
    if (!is_new && cell.seconds < at->second.seconds) at->second = cell;
  }
  return fastest;
}

std::string limit_in_words(const std::map<unsigned, sweep_place>& fastest, std::optional<unsigned> from) {
  if (from == fastest.begin()->first) return "The processors are the limit at every work level.";
  if (from) return fmt::format("From work {} on the processors are the limit, below it the disk.", *from);
  const auto unknown = [](const auto& level) { return !level.second.busy; };
  if (std::ranges::any_of(fastest, unknown)) return "Whether disk or processors are the limit was not recorded.";
  return "The disk is the limit, or memory is, at the highest work level, too.";
}

}  // namespace

sweep_place sweep_place_of(const report_group& group, std::size_t row, unsigned processors) {
  const report_row& about = group.rows[row];
  const candidate& who = group.field[row];
  const unsigned threads = count_in(about.plan, "threads", std::max(who.plan.jobs, 1U));
  const unsigned ranks = count_in(about.plan, "ranks", 1);
  return {.strategy = about.method,
          .threads = threads,
          .work = count_in(about.plan, "work", 0),
          .seconds = median_seconds(who),
          .busy = busy_of(group, row, threads * ranks, processors)};
}

std::optional<unsigned> crossover_of(const report_group& group, unsigned processors) {
  const auto fastest = fastest_by_work(group, processors);
  const auto waits = [](const auto& level) { return level.second.busy.value_or(0) < busy_share; };
  const auto first_waiting = std::find_if(fastest.rbegin(), fastest.rend(), waits);  // from the most work down
  if (first_waiting == fastest.rbegin()) return std::nullopt;
  return std::prev(first_waiting)->first;
}

group_verdict sweep_verdict(const report_group& group, unsigned processors) {
  const auto fastest = fastest_by_work(group, processors);
  if (fastest.empty())
    return {.state = "none", .headline = "No trial is valid, so there is no verdict.", .remarks = {}, .ranking = {}};
  group_verdict made{.state = "sweep", .headline = {}, .remarks = {}, .ranking = {}};
  const auto& [least_work, first] = *fastest.begin();
  made.headline = fmt::format("Fastest at work {}: {}", least_work, in_words(first));
  if (fastest.size() > 1)
    made.headline += fmt::format("; at work {}: {}", fastest.rbegin()->first, in_words(fastest.rbegin()->second));
  made.headline += '.';
  made.remarks.push_back(limit_in_words(fastest, crossover_of(group, processors)));
  return made;
}

}  // namespace freshet::tool
