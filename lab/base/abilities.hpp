// What lab/CMakeLists.txt makes of the list of abilities.
#pragma once

#include "tool/command/options.hpp"

namespace freshet::tool {

/// Adds the commands of the abilities that this build has, in the order of the list.
void add_abilities(program_parser& program);

}  // namespace freshet::tool
