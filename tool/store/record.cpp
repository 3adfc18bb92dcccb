#include "tool/store/record.hpp"

#include <utility>

#include "tool/trial/write_file.hpp"

namespace freshet::tool {

record make_record(const trial_result& trial) {
  record result;
  result.workload = to_string(trial.plan.workload);
  // The figures of "auto" are those of the method that it chose.
  result.method = trial.method.empty() ? trial.plan.method : trial.method;
  trial_plan resolved = trial.plan;
  resolved.method = result.method;
  result.label = describe(resolved);
  result.plan = trial.plan;
  result.more = nlohmann::json::object();
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
  if (stored.label == describe(plan)) stored.label = describe(named);
  plan = std::move(named);
  stored.plan["block"] = plan.block;
  stored.plan["depth"] = plan.depth;
}

record make_record(const byte_trial& trial) {
  record result = make_record(trial.figures);
  result.workload = to_string(workload_kind::bytes);
  result.method = trial.plan.way->name;
  result.label = describe(trial.plan);
  result.plan = {{"way", trial.plan.way->name},
                 {"direction", to_string(trial.plan.way->goes)},
                 {"buffer", trial.plan.buffer},
                 {"size", trial.figures.plan.size}};
  return result;
}

}  // namespace freshet::tool
