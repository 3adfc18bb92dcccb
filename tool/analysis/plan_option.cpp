#include "tool/analysis/plan_option.hpp"

#include "tool/base/text.hpp"

namespace freshet::tool {

std::string value_of(const trial_plan& plan, plan_option option) {
  switch (option) {
    case plan_option::reserve:
      return plan.reserve ? "on" : "off";
    case plan_option::unordered:
      return plan.ordered ? "off" : "on";
    case plan_option::access:
      return std::string{to_string(plan.access)};
    case plan_option::caching:
      return std::string{to_string(plan.caching)};
    case plan_option::block:
      return format_size(plan.block);
    case plan_option::depth:
      break;
  }
  return std::to_string(plan.depth);
}

trial_plan without(trial_plan plan, plan_option option) {
  const trial_plan usual;
  switch (option) {
    case plan_option::reserve:
      plan.reserve = usual.reserve;
      break;
    case plan_option::unordered:
      plan.ordered = usual.ordered;
      plan.size_ahead = usual.size_ahead;
      break;
    case plan_option::access:
      plan.access = usual.access;
      break;
    case plan_option::caching:
      plan.caching = usual.caching;
      break;
    case plan_option::block:
      plan.block = usual.block;
      break;
    case plan_option::depth:
      plan.depth = usual.depth;
      break;
  }
  return plan;
}

}  // namespace freshet::tool
