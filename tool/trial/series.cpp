#include "tool/trial/series.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include <freshet/error.hpp>

#include "tool/base/place.hpp"
#include "tool/base/text.hpp"
#include "tool/trial/write_file.hpp"

namespace freshet::tool {

namespace {

// The trials of all rows in the order in which they were made: those of a row are its first entries in `order`, since a
// row has no more of them after a failure.
std::vector<const trial_result*> in_order(std::span<const scheduled_trial> order, std::span<const candidate> rows) {
  std::vector<const trial_result*> trials;
  std::vector<std::size_t> taken(rows.size());
  for (const scheduled_trial& each : order)
    if (std::size_t& next = taken[each.plan]; next < rows[each.plan].trials.size())
      trials.push_back(&rows[each.plan].trials[next++]);
  return trials;
}

}  // namespace

std::vector<trial_plan> make_plans(const grid& varied) {
  std::vector<trial_plan> all{varied.common};
  const auto vary = [&]<auto option>(const option_values<option>& values) {
    if (values.all.empty()) return;
    for (const trial_plan& plan : std::exchange(all, {}))
      for (const option_value<option>& value : values.all) all.emplace_back(plan).*option = value;
  };
  vary(std::get<option_values<&trial_plan::measured_class>>(varied.values));
  each_axis([&]<auto option>(const plan_option<option>&) { vary(std::get<option_values<option>>(varied.values)); });
  std::vector<trial_plan> plans;
  for (trial_plan& each : all) {
    each.size_ahead = each.size_ahead && !each.ordered;
    if (const trial_plan plan = normalize(each); std::ranges::find(plans, plan) == plans.end()) plans.push_back(plan);
  }
  return plans;
}

std::vector<method_info> list_methods(const std::vector<std::string>& named, const std::filesystem::path& directory) {
  std::vector<method_info> all = methods(directory);
  for (const method_info& method : all)
    if (!method.available() && std::ranges::find(named, method.name) != named.end()) {
      // The methods are tried with a file of one block.
      if (file_system_at(directory).available < default_block)
        throw error{std::make_error_code(std::errc::no_space_on_device), "write in", directory};
      refuse(std::errc::operation_not_supported, "use " + method.name + " in", directory, method.why_not);
    }
  return all;
}

std::vector<scheduled_trial> schedule(std::size_t plans, unsigned rounds, trial_order order, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  std::vector<std::size_t> turn(plans);
  std::iota(turn.begin(), turn.end(), std::size_t{0});
  std::vector<scheduled_trial> all;
  for (unsigned round = 0; round < rounds; ++round) {
    if (order == trial_order::random) std::shuffle(turn.begin(), turn.end(), random);
    for (unsigned position = 0; position < plans; ++position) all.push_back({turn[position], round, position});
  }
  if (order == trial_order::sequential)
    std::stable_sort(all.begin(), all.end(), [](const auto& one, const auto& other) { return one.plan < other.plan; });
  return all;
}

std::uint64_t compute_bytes_written(const trial_plan& plan) {
  if (plan.method == "null" || reads(plan.measured_class)) return 0;
  const std::uint64_t earlier = plan.prior == prior_state::process ? plan.size : 0;
  return plan.size * plan.jobs * (plan.target == target_kind::overwrite ? 2 : 1) + earlier;
}

series_result run_series(std::span<candidate> rows, std::span<const scheduled_trial> order,
                         const series_listener& listener) {
  series_result result;
  make_in_order(order, [&](const scheduled_trial& next, std::size_t number, double seconds_left) {
    candidate& row = rows[next.plan];
    if (!row.dropped.empty()) return;
    listener.before(next, number, seconds_left);
    try {
      trial_result trial = listener.run(row.plan);
      result.bytes_written += trial.bytes_written;
      trial.round = next.round;
      trial.position = next.position;
      listener.keep(trial);
      if (trial.work_failed) row.dropped = trial.reasons.front();
      row.trials.push_back(std::move(trial));
    } catch (const error& failure) {
      result.bytes_written += compute_bytes_written(row.plan);  // at most
      row.dropped = failure.what();
    }
    listener.after(next);
  });
  result.trials = in_order(order, rows);
  return result;
}

series_result run_rounds(std::span<candidate> rows, const round_limits& limits, round_order by,
                         const series_listener& listener, const std::function<double()>& now) {
  const bool has_rounds = by.order != trial_order::sequential;
  const unsigned most = has_rounds ? std::max(limits.rounds, limits.rounds_if_short) : limits.rounds;
  const auto order = schedule(rows.size(), most, by.order, by.seed);
  const auto trials_of = [&](unsigned rounds) { return std::span{order}.first(rounds * rows.size()); };
  unsigned made = limits.rounds;
  series_result result = run_series(rows, trials_of(made), listener);
  const auto affords_another = [&] {
    const double growth = 1 + 1.0 / made;
    return now() * growth <= limits.seconds &&
           static_cast<double>(result.bytes_written) * growth <= static_cast<double>(limits.max_bytes);
  };
  for (; made < most && affords_another(); ++made)
    result.bytes_written += run_series(rows, trials_of(made + 1).last(rows.size()), listener).bytes_written;
  result.trials = in_order(trials_of(made), rows);
  return result;
}

}  // namespace freshet::tool
