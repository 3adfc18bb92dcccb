#include "tool/report/html/run_part.hpp"

namespace freshet::tool {
namespace {

template <typename Value>
std::vector<Value> select_values(const std::vector<Value>& all, const std::vector<std::size_t>& which) {
  std::vector<Value> some;
  some.reserve(which.size());
  for (const std::size_t each : which) some.push_back(all[each]);
  return some;
}

report_row select_row(const report_row& row, std::size_t run, const row_in_run& share) {
  report_row part{.method = row.method,
                  .label = row.label,
                  .plan = row.plan,
                  .ids = select_values(row.ids, share.trials),
                  .cpu_to_close = select_values(row.cpu_to_close, share.trials),
                  .blocks = select_values(row.blocks, share.trials)};
  part.by_run[run] = {.trials = {}, .latency = share.latency};
  return part;
}

}  // namespace

run_part select_run(const report_group& whole, std::size_t run) {
  run_part part{.group = {.place = whole.place,
                          .kind = whole.kind,
                          .workload = whole.workload,
                          .measured_class = whole.measured_class,
                          .size = whole.size,
                          .variant = whole.variant,
                          .role = whole.role},
                .rows = {}};
  report_group& group = part.group;
  for (std::size_t row = 0; row < whole.rows.size(); ++row) {
    const auto share = whole.rows[row].by_run.find(run);
    if (share == whole.rows[row].by_run.end()) continue;
    candidate entry{.plan = whole.candidates[row].plan,
                    .trials = select_values(whole.candidates[row].trials, share->second.trials)};
    entry.is_baseline = whole.candidates[row].is_baseline;
    group.trials += entry.trials.size();
    for (const trial_result& trial : entry.trials)
      if (!trial.is_usable()) ++group.invalid;
    group.candidates.push_back(std::move(entry));
    group.rows.push_back(select_row(whole.rows[row], run, share->second));
    part.rows.push_back(row);
  }
  return part;
}

}  // namespace freshet::tool
