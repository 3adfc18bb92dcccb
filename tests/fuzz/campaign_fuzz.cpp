// Parses arbitrary bytes as a campaign's plan. An accepted plan must be usable, and come to as many steps as it may;
// all other input must be rejected with the documented error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <freshet/error.hpp>

#include "lab/campaign/plan.hpp"

namespace {

using namespace freshet::tool;

void require(bool holds) {
  if (!holds) std::abort();
}

void require_usable(const campaign_plan& plan) {
  require(!plan.name.empty() && !plan.steps.empty());
  require(plan.repetitions >= 1 && plan.time_limit > 0);
  require(plan.mount.empty() == (plan.between != between_steps::remount));
  const auto steps = list_steps(plan, 1);
  require(steps.size() >= plan.steps.size() && steps.size() <= most_steps);
  for (const planned_step& each : steps) {
    require(!each.words.empty() && each.repetition >= 1 && each.repetition <= plan.repetitions);
    require(each.for_shell ? each.words.size() == 1 : keeps_trials(each.words.front()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    require_usable(parse_plan({reinterpret_cast<const char*>(data), size}, "plan.toml"));
  } catch (const freshet::error&) {
    // Rejected, as documented.
  }
  return 0;
}
