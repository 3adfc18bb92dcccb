// All commands with their options, for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tool/usage/description.hpp"

namespace freshet::tool {

/// The members: `name`, `summary`, `freshet` (the version), `options`, `exits`, `variables`, `commands`. A command has
/// `name`, `summary`, `group` (a heading, or null), `notes`, `options` and `exits`; an option what option_description
/// has.
[[nodiscard]] nlohmann::json describe_as_json(const program_description& program);

}  // namespace freshet::tool
