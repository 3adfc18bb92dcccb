#include "tool/trial/series.hpp"

#include <utility>

#include <freshet/error.hpp>

#include "tool/measure/clock.hpp"

namespace freshet::tool {

series_result run_series(std::span<measured_plan> rows, std::span<const scheduled_trial> order, file_runner& runner,
                         const series_listener& listener) {
  series_result result;
  const stopwatch watch;
  std::size_t number = 0;
  for (const scheduled_trial& next : order) {
    measured_plan& row = rows[next.plan];
    const auto done = static_cast<double>(number++);
    if (!row.why_not.empty()) continue;
    listener.before(next, number, done == 0 ? -1 : watch.seconds() / done * (static_cast<double>(order.size()) - done));
    try {
      trial_result trial = runner.run(row.plan);
      result.bytes_written += trial.bytes_written;
      trial.round = next.round;
      trial.position = next.position;
      listener.keep(trial);
      row.trials.push_back(std::move(trial));
    } catch (const error& failure) {
      result.bytes_written += compute_bytes_written(row.plan);  // at most
      row.why_not = failure.what();
    }
    listener.after(next);
  }
  result.trials = in_order(order, rows);
  return result;
}

}  // namespace freshet::tool
