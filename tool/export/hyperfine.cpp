#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "tool/base/text.hpp"
#include "tool/export/exports.hpp"
#include "tool/export/plans.hpp"
#include "tool/search/statistics.hpp"

namespace freshet::tool {
namespace {

using parameter_values = std::map<std::string, std::string>;

// All options of the plan; hyperfine's parameters are texts.
parameter_values list_options(const record& trial) {
  parameter_values all{{"workload", trial.workload},
                       {"class", std::string{to_string(trial.figures.plan.measured_class)}},
                       {"method", trial.method}};
  if (!trial.plan.is_object()) return all;
  for (const auto& [member, value] : trial.plan.items())
    if (member != "seed" && value != trial.method) all.try_emplace(member, format_word(value));
  return all;
}

// The names of the options in which the plans differ: hyperfine's scripts take each parameter for one that was varied.
std::set<std::string> find_varied(std::span<const repeated_plan* const> plans) {
  std::map<std::string, std::set<std::string>> values;
  for (const repeated_plan* plan : plans)
    for (const auto& [name, value] : list_options(plan->first())) values[name].insert(value);
  std::set<std::string> varied;
  for (const auto& option : values) {
    const bool is_everywhere = std::ranges::all_of(
        plans, [&](const repeated_plan* plan) { return list_options(plan->first()).contains(option.first); });
    if (option.second.size() > 1 || !is_everywhere) varied.insert(option.first);
  }
  return varied;
}

parameter_values choose_parameters(const record& trial, const std::set<std::string>& varied) {
  parameter_values chosen = list_options(trial);
  std::erase_if(chosen, [&](const auto& option) { return !varied.contains(option.first); });
  return chosen;
}

// By the one option that was varied, if it is a number, as hyperfine does: its scripts join the points in their order.
void sort_by_parameter(std::vector<const repeated_plan*>& plans, const std::set<std::string>& varied) {
  if (varied.size() != 1) return;
  const auto number = [&](const repeated_plan* plan) {
    const parameter_values all = list_options(plan->first());
    const auto option = all.find(*varied.begin());
    double value = 0;
    if (option == all.end()) return std::optional<double>{};
    const std::string& text = option->second;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    return failure == std::errc{} && end == text.data() + text.size() ? std::optional{value} : std::nullopt;
  };
  if (std::ranges::all_of(plans, [&](const repeated_plan* plan) { return number(plan).has_value(); }))
    std::ranges::stable_sort(plans, {}, [&](const repeated_plan* plan) { return *number(plan); });
}

nlohmann::ordered_json format_result(const repeated_plan& plan, const std::set<std::string>& varied) {
  const std::vector<double> seconds = plan.collect(&trial_result::ranking_seconds);
  const spread times = compute_spread(seconds);
  const auto cpu_elsewhere = [](const trial_result& trial) { return trial.cpu_whole - trial.cpu_process; };
  nlohmann::ordered_json result;
  result["command"] = format_title(plan.first());
  result["mean"] = times.mean;
  result["stddev"] = seconds.size() > 1 ? nlohmann::ordered_json(times.deviation) : nlohmann::ordered_json(nullptr);
  result["median"] = median(seconds);
  result["user"] = compute_spread(plan.collect(&trial_result::cpu_process)).mean;
  result["system"] = compute_spread(plan.collect(cpu_elsewhere)).mean;
  result["min"] = times.least;
  result["max"] = times.most;
  result["times"] = seconds;
  result["exit_codes"] = std::vector<int>(seconds.size(), 0);
  if (!varied.empty()) result["parameters"] = choose_parameters(plan.first(), varied);
  return result;
}

}  // namespace

std::string export_hyperfine(const run& run, std::span<const record> records) {
  const std::vector<repeated_plan> plans = group_by_plan(records);
  std::vector<const repeated_plan*> counted;
  for (const repeated_plan& plan : plans)
    if (!plan.counted.empty()) counted.push_back(&plan);
  const std::set<std::string> varied = find_varied(counted);
  sort_by_parameter(counted, varied);
  nlohmann::ordered_json out;
  out["results"] = nlohmann::ordered_json::array();
  nlohmann::ordered_json all_options = nlohmann::ordered_json::array();
  for (const repeated_plan* plan : counted) {
    out["results"].push_back(format_result(*plan, varied));
    all_options.push_back(list_options(plan->first()));
  }
  out["freshet"] = make_note(run, plans);
  out["freshet"]["options"] = std::move(all_options);
  return to_text(out);
}

}  // namespace freshet::tool
