// The options in which plans are compared that have everything else in common.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "tool/base/enum_names.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

enum class plan_option : std::uint8_t { reserve, unordered, access, caching, block, depth };
template <>
inline constexpr auto enum_names<plan_option> = std::to_array<std::string_view>({"reserve", "unordered", "access",
                                                                                 "caching", "block", "depth"});

/// The plan's value of the option, as on the command line: "on", "drop", "64 KiB".
[[nodiscard]] std::string value_of(const trial_plan& plan, plan_option option);

/// The plan with the value that all plans can have in common: that of a new plan.
[[nodiscard]] trial_plan without(trial_plan plan, plan_option option);

}  // namespace freshet::tool
