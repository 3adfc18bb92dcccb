#include "tool/analysis/counting.hpp"

#include <fmt/format.h>

#include "tool/base/json_output.hpp"

namespace freshet::tool {

std::vector<std::string> find_exclusion_reasons(const record& stored) {
  if (purpose_of(stored) == trial_purpose::warm_up) return {"it was a warm-up"};
  if (purpose_of(stored) == trial_purpose::program)
    return {"a process of its own wrote it, to predict what programs get"};
  return find_exclusion_reasons(stored.figures);
}

std::string make_plan_identity(const record& stored, plan_part which) {
  nlohmann::json plan = stored.plan;
  if (plan.is_object()) {
    plan.erase("seed");
    if (which == plan_part::all_but_size) plan.erase("size");
  }
  return fmt::format("{}\n{}\n{}\n{}", stored.method, purpose_of(stored) == trial_purpose::diagnosis,
                     stored.figures.met_slow_memory, to_text(plan));
}

bool shows_blocks(std::string_view method) noexcept { return method != "mmap"; }

}  // namespace freshet::tool
