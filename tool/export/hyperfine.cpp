#include <nlohmann/json.hpp>

#include "tool/export/formats.hpp"
#include "tool/export/plans.hpp"
#include "tool/search/statistics.hpp"

namespace freshet::tool {
namespace {

// hyperfine's parameters are texts, whatever they stand for.
nlohmann::ordered_json parameters_of(const record& made) {
  nlohmann::ordered_json words = nlohmann::ordered_json::object();
  words["workload"] = made.workload;
  words["class"] = to_string(made.figures.plan.what);
  words["method"] = made.method;
  if (!made.plan.is_object()) return words;
  for (const auto& [member, value] : made.plan.items())
    if (!words.contains(member)) words[member] = word_of(value);
  return words;
}

nlohmann::ordered_json result_of(const repeated& plan) {
  const std::vector<double> seconds = ranking_seconds_of(plan.counted);
  const spread times = spread_of(seconds);
  std::vector<double> own;
  std::vector<double> elsewhere;
  for (const record* each : plan.counted) {
    own.push_back(each->figures.cpu_process);
    elsewhere.push_back(each->figures.cpu_whole - each->figures.cpu_process);
  }
  nlohmann::ordered_json made;
  made["command"] = title_of(plan.any());
  made["mean"] = times.mean;
  made["stddev"] = seconds.size() > 1 ? nlohmann::ordered_json(times.deviation) : nlohmann::ordered_json(nullptr);
  made["median"] = median(seconds);
  made["user"] = spread_of(own).mean;
  made["system"] = spread_of(elsewhere).mean;
  made["min"] = times.least;
  made["max"] = times.most;
  made["times"] = seconds;
  made["exit_codes"] = std::vector<int>(seconds.size(), 0);
  made["parameters"] = parameters_of(plan.any());
  return made;
}

}  // namespace

std::string hyperfine_export(const run& about, std::span<const record> made) {
  nlohmann::ordered_json out;
  out["results"] = nlohmann::ordered_json::array();
  const std::vector<repeated> plans = by_plan(made);
  for (const repeated& plan : plans)
    if (!plan.counted.empty()) out["results"].push_back(result_of(plan));
  out["freshet"] = note_of(about, plans);
  return text_of(out);
}

}  // namespace freshet::tool
