#include "tool/export/plans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>

#include "tool/base/size.hpp"
#include "tool/search/matching.hpp"
#include "tool/search/ranking.hpp"
#include "tool/search/statistics.hpp"

namespace freshet::tool {
namespace {

// Equal for repetitions only.
std::string key_of(const record& made) {
  return fmt::format("{}\n{}\n{}\n{}", made.workload, made.method, to_string(made.figures.plan.what),
                     made.plan.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

double median_rate(const repeated& plan) {
  if (plan.counted.empty()) return 0;
  std::vector<double> rates;
  for (const record* each : plan.counted) rates.push_back(ranking_rate(*each));
  return median(std::move(rates));
}

// The class, the workload and the method, by whatever name it goes there, stand beside the plan.
bool says_something(const record& made, const std::string& member, const nlohmann::json& value) {
  static const nlohmann::json usual = trial_plan{};
  if (value == made.method || member == "class" || member == "workload" || member == "seed") return false;
  if (usual.contains(member)) return usual[member] != value;
  return !value.is_null() && value != false && value != 0 && !word_of(value).empty();
}

}  // namespace

std::vector<repeated> by_plan(std::span<const record> made) {
  std::vector<repeated> plans;
  std::map<std::string, std::size_t> places;
  for (const record& each : made) {
    const auto [place, is_new] = places.try_emplace(key_of(each), plans.size());
    if (is_new) plans.emplace_back();
    repeated& plan = plans[place->second];
    plan.trials.push_back(&each);
    if (left_out_for(each).empty()) plan.counted.push_back(&each);
  }
  std::vector<std::pair<double, const repeated*>> order;
  for (const repeated& each : plans) order.emplace_back(median_rate(each), &each);
  std::ranges::stable_sort(order, {}, [](const auto& entry) {
    const record& any = entry.second->any();
    return std::tuple{any.figures.plan.what, any.workload, -entry.first};
  });
  std::vector<repeated> sorted;
  for (const auto& [rate, plan] : order) sorted.push_back(*plan);
  return sorted;
}

std::vector<double> ranking_seconds_of(std::span<const record* const> trials) {
  std::vector<double> seconds;
  for (const record* each : trials) seconds.push_back(each->figures.ranking_seconds());
  return seconds;
}

spread spread_of(std::span<const double> values) {
  if (values.empty()) return {};
  const auto count = static_cast<double>(values.size());
  spread found{.mean = std::accumulate(values.begin(), values.end(), 0.0) / count,
               .least = *std::ranges::min_element(values),
               .most = *std::ranges::max_element(values)};
  if (values.size() < 2) return found;
  double squares = 0;
  for (const double each : values) squares += (each - found.mean) * (each - found.mean);
  found.deviation = std::sqrt(squares / (count - 1));
  return found;
}

double ranking_rate(const record& made) {
  const double seconds = made.figures.ranking_seconds();
  return seconds > 0 ? static_cast<double>(made.figures.bytes) / seconds / 1e6 : 0;
}

double cpu_per_gb(const record& made) {
  return made.figures.bytes > 0 ? made.figures.cpu_whole / static_cast<double>(made.figures.bytes) * 1e9 : 0;
}

std::string title_of(const record& made) {
  const trial_plan& plan = made.figures.plan;
  std::string words = fmt::format("{}: {}, {}", made.label, made.workload, to_string(plan.what));
  if (plan.size != 0) words += ", " + format_size(plan.size);
  return words;
}

std::string name_of(const record& made) {
  std::string name = fmt::format("{}/{}/{}", made.workload, to_string(made.figures.plan.what), made.method);
  if (!made.plan.is_object()) return name;
  for (const auto& [member, value] : made.plan.items())
    if (says_something(made, member, value)) name += fmt::format("/{}:{}", member, word_of(value));
  return name;
}

std::string word_of(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<std::string> left_out_for(const record& made) {
  const trial_result& figures = made.figures;
  if (figures.validity == trial_validity::invalid)
    return figures.reasons.empty() ? std::vector<std::string>{"invalid"} : figures.reasons;
  if (!counts(figures)) return {"it moved nothing"};
  if (is_warm_up(made)) return {"it was there to warm up"};
  return {};
}

nlohmann::ordered_json note_of(const run& about, std::span<const repeated> plans) {
  nlohmann::ordered_json left_out = nlohmann::ordered_json::array();
  for (const repeated& plan : plans) {
    for (const record* each : plan.trials) {
      const std::vector<std::string> reasons = left_out_for(*each);
      if (reasons.empty()) continue;
      nlohmann::ordered_json entry;
      entry["trial"] = title_of(*each);
      entry["seconds"] = each->figures.ranking_seconds();
      entry["reasons"] = reasons;
      left_out.push_back(std::move(entry));
    }
  }
  nlohmann::ordered_json note;
  note["version"] = about.env.version;
  note["command"] = about.words;
  note["started"] = about.started;
  note["left_out"] = std::move(left_out);
  return note;
}

std::string text_of(const nlohmann::ordered_json& made) {
  return made.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace freshet::tool
