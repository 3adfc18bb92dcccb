// Pages of the manual, for man(1): macros of man(7).
#pragma once

#include <string>

#include "tool/usage/description.hpp"

namespace freshet::tool {

/// freshet(1). @param date  "2026-03-01"
[[nodiscard]] std::string write_manual(const program_description& program, const std::string& date);

/// freshet-tune(1) and the like. Precondition: `command` is one of `program`.
[[nodiscard]] std::string write_manual(const program_description& program, const command_description& command,
                                       const std::string& date);

}  // namespace freshet::tool
