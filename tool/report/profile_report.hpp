// What `freshet profile` prints.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "tool/trial/profile_inspection.hpp"

namespace freshet::tool {

/// Lines for people, without the warnings.
[[nodiscard]] std::string format_profile(const profile_inspection& inspection);

void to_json(nlohmann::json& out, const profile_inspection& inspection);

/// "kept", "behind" and "past", each with "mb_per_second", "spread" and "bytes", or null where it was not measured;
/// "past" also has "block" and "depth".
[[nodiscard]] nlohmann::json make_ways_json(const measured_ways& measured);

}  // namespace freshet::tool
