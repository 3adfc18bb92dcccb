// On Windows, freshet is one program: nothing starts another one.
#include "tool/command/laboratory.hpp"

namespace freshet::tool {

const std::filesystem::path& starting_program() {
  static const std::filesystem::path unknown;
  return unknown;
}

}  // namespace freshet::tool
