// On Windows, freshet is one program: nothing starts another one, and no command is passed on.
#include "tool/command/laboratory.hpp"

#include <stdexcept>

namespace freshet::tool {

void start_laboratory() { throw std::logic_error{"freshet starts no other program on Windows"}; }

std::filesystem::path find_laboratory() { return {}; }

const std::filesystem::path& starting_program() {
  static const std::filesystem::path unknown;
  return unknown;
}

}  // namespace freshet::tool
