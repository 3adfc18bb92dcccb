#include "tool/store/record.hpp"

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

record make_record(const byte_trial& made) {
  record kept = make_record(made.figures);
  kept.workload = to_string(workload_kind::bytes);
  kept.method = made.plan.way->name;
  kept.label = describe(made.plan);
  kept.plan = {{"way", made.plan.way->name},
               {"direction", to_string(made.plan.way->goes)},
               {"buffer", made.plan.buffer},
               {"size", made.figures.plan.size}};
  return kept;
}

}  // namespace freshet::tool
