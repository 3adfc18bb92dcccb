#include "tool/export/plans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "tool/base/json_output.hpp"
#include "tool/base/text.hpp"
#include "tool/search/ranking.hpp"

namespace freshet::tool {
namespace {

// Equal for trials of one plan only.
std::string make_key(const record& trial) {
  return fmt::format("{}\n{}\n{}", trial.workload, to_string(trial.figures.plan.measured_class),
                     make_plan_identity(trial));
}

double median_rate(const repeated_plan& plan) {
  if (plan.counted.empty()) return 0;
  return median(plan.collect(&trial_result::ranking_rate));
}

// Class, workload and method stand in the name already; in the plan, the method may have another key.
bool is_informative(const record& trial, const std::string& member, const nlohmann::json& value) {
  static const nlohmann::json usual = trial_plan{};
  if (value == trial.method || member == "class" || member == "workload" || member == "seed") return false;
  if (usual.contains(member)) return usual[member] != value;
  return !value.is_null() && value != false && value != 0 && !format_word(value).empty();
}

}  // namespace

std::vector<repeated_plan> group_by_plan(std::span<const record> records) {
  std::vector<repeated_plan> plans;
  std::map<std::string, std::size_t> places;
  for (const record& each : records) {
    const auto [place, is_new] = places.try_emplace(make_key(each), plans.size());
    if (is_new) plans.emplace_back();
    plans[place->second].trials.push_back(&each);
  }
  for (repeated_plan& plan : plans) {
    sorted_trials<record> sorted = sort_trials(plan.trials);
    plan.counted = std::move(sorted.counted);
    plan.left_out = std::move(sorted.left_out);
  }
  std::ranges::stable_sort(plans, {}, [](const repeated_plan& plan) {
    const record& first = plan.first();
    return std::tuple{first.figures.plan.measured_class, first.workload, -median_rate(plan)};
  });
  return plans;
}

std::string format_title(const record& trial) {
  const trial_plan& plan = trial.figures.plan;
  std::string words = fmt::format("{}: {}, {}", trial.label, trial.workload, to_string(plan.measured_class));
  if (plan.size != 0) words += ", " + format_size(plan.size);
  if (purpose_of(trial) == trial_purpose::diagnosis) words += ", for comparison";
  if (trial.figures.met_slow_memory) words += fmt::format(", {}", slow_memory_words);
  return words;
}

std::string format_name(const record& trial) {
  std::string name =
      fmt::format("{}/{}/{}", trial.workload, to_string(trial.figures.plan.measured_class), trial.method);
  if (purpose_of(trial) == trial_purpose::diagnosis) name += "/for_comparison";
  if (trial.figures.met_slow_memory) name += "/memory:slow";
  if (!trial.plan.is_object()) return name;
  for (const auto& [member, value] : trial.plan.items())
    if (is_informative(trial, member, value)) name += fmt::format("/{}:{}", member, format_word(value));
  return name;
}

std::string format_word(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : to_text(value);
}

nlohmann::ordered_json make_note(const run& run, std::span<const repeated_plan> plans) {
  nlohmann::ordered_json left_out = nlohmann::ordered_json::array();
  for (const repeated_plan& plan : plans) {
    for (const auto& [each, reasons] : plan.left_out) {
      nlohmann::ordered_json entry;
      entry["trial"] = format_title(*each);
      entry["seconds"] = each->figures.ranking_seconds();
      entry["reasons"] = reasons;
      left_out.push_back(std::move(entry));
    }
  }
  nlohmann::ordered_json note;
  note["version"] = run.env.version;
  note["command"] = run.words;
  note["started"] = run.started;
  note["left_out"] = std::move(left_out);
  return note;
}

std::string to_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace freshet::tool
