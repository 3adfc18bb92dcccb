#include "tool/analysis/machine_rate.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "src/method/registry.hpp"
#include "tool/analysis/counting.hpp"
#include "tool/search/counted_trials.hpp"
#include "tool/search/statistics.hpp"

namespace freshet::tool {
namespace {

constexpr double clearly = 1.05;                                // times the machine's rate: faster than the device
constexpr std::uint64_t least_bytes = std::uint64_t{16} << 20;  // smaller files show what opening and syncing takes
constexpr double most_of_it = 0.5;                              // of the time

// Baselines and programs show how fast they are, not what the device takes; `null` has no device.
bool is_a_method_with_a_file(std::string_view name) {
  const detail::method_entry* const method = detail::find_method(name);
  return name == "auto" || (method != nullptr && method->needs_file);
}

bool may_tell_the_rate(const record& stored) {
  const trial_plan& plan = stored.figures.plan;
  // Compressed or slowed down on purpose, the device is not the limit.
  const bool has_options = stored.plan.is_object() && stored.plan.contains("options");
  return !reads(plan.measured_class) && plan.volume.empty() && !has_options &&
         purpose_of(stored) != trial_purpose::baseline && is_a_method_with_a_file(stored.method) &&
         stored.figures.bytes >= least_bytes && stored.figures.validity != trial_validity::unknown &&
         stored.figures.seconds_to_disk > 0 && find_exclusion_reasons(stored).empty();
}

// The part of the time for which the program had a processor, or waited for the disk, that it spent in its own code:
// with text, that is forming lines. 0 where that cannot be seen.
double share_of_forming(const trial_result& trial) {
  if (trial.plan.workload != workload_kind::text || trial.plan.jobs > 1 || !trial.cpu_user) return 0;
  const double seconds = trial.seconds_to_disk - trial.cpu_waited.value_or(0);
  return seconds > 0 ? *trial.cpu_user / seconds : 0;
}

// The bytes of a file that the device gets after it was closed: no more than the page cache has of it.
double bytes_after_close(const trial_result& trial, double rate) {
  const double seconds = trial.seconds_to_disk - trial.seconds_to_close;
  return std::min(static_cast<double>(trial.page_cache.value_or(trial.bytes)), rate * 1e6 * seconds);
}

template <typename Figure>
double median_of(const std::vector<const trial_result*>& trials, Figure figure) {
  std::vector<double> values;
  for (const trial_result* each : trials) values.push_back(figure(*each));
  return median(std::move(values));
}

}  // namespace

std::vector<std::string> find_exclusion_reasons(const dated_trial& trial) {
  return find_exclusion_reasons(trial.figures);
}

bool tells_machine_rate(const run& of, const environment& here) {
  return (of.command == "tune" || of.command == "bench") && of.env.machine == here.machine &&
         of.env.file_system_key == here.file_system_key && of.env.file_system == here.file_system;
}

void machine_rate_search::add(record&& stored, std::string_view began) {
  if (!may_tell_the_rate(stored)) return;
  way& into = ways_[make_plan_identity(stored, plan_part::all_but_size)];
  into.label = stored.label.empty() ? stored.method : std::move(stored.label);
  stored.figures.block_latency = {};
  stored.figures.over_time = {};
  into.trials.push_back({std::move(stored.figures), std::string{began}});
}

std::optional<machine_rate> machine_rate_search::find() const {
  std::vector<machine_rate> rates;
  for (const auto& [identity, each] : ways_) {
    const auto counted = sort_trials(each.trials).counted;
    std::vector<double> to_disk;
    for (const dated_trial* trial : counted) to_disk.push_back(trial->figures.rate_to_disk());
    const auto latest = std::ranges::max_element(counted, {}, [](const dated_trial* trial) { return trial->began; });
    rates.push_back(
        {.rate = median(to_disk), .way = each.label, .measured = (*latest)->began, .trials = counted.size()});
  }
  std::ranges::sort(rates, std::greater{}, &machine_rate::rate);
  for (const std::size_t enough : {std::size_t{rounds_to_decide}, enough_of_one_size}) {
    const auto best = std::ranges::find_if(rates, [&](const machine_rate& each) { return each.trials >= enough; });
    if (best != rates.end()) return *best;
  }
  return {};
}

std::optional<machine_share> compare_with_machine(const machine_rate& machine,
                                                  std::span<const trial_result* const> trials) {
  std::vector<const trial_result*> usable;
  for (const trial_result* each : trials)
    if (each->is_usable() && each->validity != trial_validity::unknown && each->seconds_to_disk > 0)
      usable.push_back(each);
  if (usable.empty()) return {};
  machine_share result{.share = median_of(usable, [](const auto& each) { return each.rate_to_disk(); }) / machine.rate};
  if (median_of(usable, [](const auto& each) { return each.rate_to_close(); }) > clearly * machine.rate)
    result.waiting = static_cast<std::uint64_t>(
        median_of(usable, [&](const auto& each) { return bytes_after_close(each, machine.rate); }));
  result.forms_lines = result.share < 1 / clearly && median_of(usable, share_of_forming) > most_of_it;
  return result;
}

void to_json(nlohmann::json& out, const machine_rate& rate) {
  out = {{"mb_per_second", rate.rate}, {"way", rate.way}, {"measured", rate.measured}, {"trials", rate.trials}};
}

}  // namespace freshet::tool
