#include "tool/store/record.hpp"

#include <array>
#include <utility>

#include "tool/trial/write_file.hpp"

namespace freshet::tool {
namespace {

// The names under which purposes are stored; a trial that is ranked has none.
constexpr std::array<std::string_view, 5> purpose_names{"", "baseline", "warm_up", "program", "diagnosis"};

}  // namespace

record make_record(const trial_result& trial) {
  record result;
  result.workload = to_string(trial.plan.workload);
  // The figures of "auto" are those of the method that it chose.
  result.method = trial.method.empty() ? trial.plan.method : trial.method;
  trial_plan resolved = trial.plan;
  resolved.method = result.method;
  result.label = describe_with_memory(resolved);
  result.plan = trial.plan;
  result.extra = nlohmann::json::object();
  result.figures = trial;
  return result;
}

void name_defaults(record& stored) {
  trial_plan& plan = stored.figures.plan;
  if (!stored.plan.is_object() || stored.plan.value("method", "") != plan.method || !stored.plan.contains("depth"))
    return;  // a plan of another kind: of a peer, of lines, of single bytes
  trial_plan named = plan;
  const trial_plan normal = normalize(plan);
  if (plan.block == 0) named.block = normal.block;
  if (plan.depth == 0) named.depth = normal.depth;
  if (named == plan) return;
  if (stored.label == describe_with_memory(plan)) stored.label = describe_with_memory(named);
  plan = std::move(named);
  stored.plan["block"] = plan.block;
  stored.plan["depth"] = plan.depth;
}

trial_purpose purpose_of(const record& stored) {
  if (!stored.extra.is_object()) return trial_purpose::ranking;
  for (std::size_t i = 1; i < purpose_names.size(); ++i)
    if (stored.extra.value(purpose_names.at(i), false)) return static_cast<trial_purpose>(i);
  return trial_purpose::ranking;
}

void set_purpose(record& stored, trial_purpose purpose) {
  if (purpose != trial_purpose::ranking) stored.extra[purpose_names.at(static_cast<std::size_t>(purpose))] = true;
}

std::string side_of(const record& stored) { return stored.extra.is_object() ? stored.extra.value("side", "") : ""; }

void set_side(record& stored, std::string_view side) { stored.extra["side"] = side; }

}  // namespace freshet::tool
