// Linked in place of tool/measure/memory_at_rest.cpp: trials take the memory that there is. Bringing memory to rest
// takes seconds for each trial, and says nothing about what most tests are about.
#include "tool/base/interrupt.hpp"
#include "tool/measure/memory.hpp"

namespace freshet::tool {

void memory_in_use::take_backed_memory() { throw_if_interrupted(); }

}  // namespace freshet::tool
