#include "tool/store/record.hpp"

namespace freshet::tool {

record make_record(const trial_result& made) {
  record kept;
  kept.workload = to_string(made.plan.workload);
  // What "auto" was is what its figures are about.
  kept.method = made.method.empty() ? made.plan.method : made.method;
  trial_plan at_work = made.plan;
  at_work.method = kept.method;
  kept.label = describe(at_work);
  kept.plan = made.plan;
  kept.more = nlohmann::json::object();
  kept.figures = made;
  return kept;
}

}  // namespace freshet::tool
