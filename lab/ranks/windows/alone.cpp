// On Windows, every process is alone.
#include "lab/ranks/ranks.hpp"

namespace freshet::tool {

ranks& all_ranks() {
  static ranks alone;
  return alone;
}

void join_ranks(char* const* /*words*/) {}

void leave_ranks(int /*exit_code*/) noexcept {}

}  // namespace freshet::tool
