#include <nlohmann/json.hpp>

#include "tool/export/exports.hpp"
#include "tool/export/plans.hpp"
#include "tool/search/statistics.hpp"

namespace freshet::tool {
namespace {

// All parameters of hyperfine are texts.
nlohmann::ordered_json format_parameters(const record& trial) {
  nlohmann::ordered_json words = nlohmann::ordered_json::object();
  words["workload"] = trial.workload;
  words["class"] = to_string(trial.figures.plan.measured_class);
  words["method"] = trial.method;
  if (!trial.plan.is_object()) return words;
  for (const auto& [member, value] : trial.plan.items())
    if (!words.contains(member)) words[member] = format_word(value);
  return words;
}

nlohmann::ordered_json format_result(const repeated_plan& plan) {
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
  result["parameters"] = format_parameters(plan.first());
  return result;
}

}  // namespace

std::string export_hyperfine(const run& run, std::span<const record> records) {
  nlohmann::ordered_json out;
  out["results"] = nlohmann::ordered_json::array();
  const std::vector<repeated_plan> plans = group_by_plan(records);
  for (const repeated_plan& plan : plans)
    if (!plan.counted.empty()) out["results"].push_back(format_result(plan));
  out["freshet"] = make_note(run, plans);
  return to_text(out);
}

}  // namespace freshet::tool
