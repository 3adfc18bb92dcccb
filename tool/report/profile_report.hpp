// What `freshet profile` prints.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "tool/trial/profile_inspection.hpp"

namespace freshet::tool {

/// Lines for people, without the warnings.
[[nodiscard]] std::string format_profile(const profile_inspection& inspection);

void to_json(nlohmann::json& out, const profile_inspection& inspection);

}  // namespace freshet::tool
