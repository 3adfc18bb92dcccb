#include "tool/trial/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <freshet/error.hpp>

#include "tool/measure/clock.hpp"
#include "tool/store/record.hpp"

namespace freshet::tool {

bool has_valid_trial(const measured_plan& row) { return std::ranges::any_of(row.trials, &trial_result::is_usable); }

std::vector<const trial_result*> usable_samples(const measured_plan& row) {
  std::vector<const trial_result*> chosen;
  const bool some_count = has_valid_trial(row);
  for (const trial_result& made : row.trials)
    if (!some_count || made.is_usable()) chosen.push_back(&made);
  return chosen;
}

std::string fault_of(const measured_plan& row) {
  std::size_t invalid = 0;
  const std::string* reason = nullptr;
  for (const trial_result& made : row.trials) {
    if (made.validity == trial_validity::invalid) ++invalid;
    if (!made.reasons.empty() && (reason == nullptr || made.validity == trial_validity::invalid))
      reason = &made.reasons.front();
  }
  if (invalid == 0 && reason == nullptr) return {};
  const std::string kind = invalid == 0                   ? "unknown"
                           : invalid == row.trials.size() ? "invalid"
                                                          : fmt::format("{} of {} invalid", invalid, row.trials.size());
  return fmt::format("{}: {}", kind, reason == nullptr ? "nothing was measured" : *reason);
}

series_result run_series(std::span<measured_plan> rows, std::span<const scheduled_trial> order,
                         const std::filesystem::path& directory, run_log& log, const series_listener& listener) {
  series_result result;
  const stopwatch watch;
  std::size_t number = 0;
  for (const scheduled_trial& next : order) {
    measured_plan& row = rows[next.plan];
    const auto done = static_cast<double>(number++);
    if (!row.why_not.empty()) continue;
    listener.before(next, number, done == 0 ? -1 : watch.seconds() / done * (static_cast<double>(order.size()) - done));
    try {
      trial_result made = run_trial(row.plan, directory);
      result.bytes_written += made.bytes_written;
      made.round = next.round;
      made.position = next.position;
      log.keep(make_record(made));
      row.trials.push_back(std::move(made));
    } catch (const error& failure) {
      result.bytes_written += bytes_of_trial(row.plan);  // at most
      row.why_not = failure.what();
    }
    listener.after(next);
  }
  result.trials = in_order(order, rows);
  return result;
}

}  // namespace freshet::tool
