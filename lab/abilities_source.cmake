# Writes the source of add_abilities(), FRESHET_ABILITIES_SOURCE, from the list.
set(declarations "")
set(calls "")
foreach(name IN LISTS FRESHET_ABILITIES)
  string(APPEND declarations "void add_${name}_command(program_parser& program);\n")
  string(APPEND calls "  add_${name}_command(program);\n")
endforeach()
set(FRESHET_ABILITIES_SOURCE ${CMAKE_CURRENT_BINARY_DIR}/abilities.cpp)
file(CONFIGURE OUTPUT ${FRESHET_ABILITIES_SOURCE} @ONLY CONTENT [=[
#include "lab/base/abilities.hpp"

namespace freshet::tool {

@declarations@
void add_abilities([[maybe_unused]] program_parser& program) {
@calls@}

}  // namespace freshet::tool
]=])
