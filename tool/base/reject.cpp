#include "tool/base/reject.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace freshet::tool {

void reject(std::string_view text, std::string_view what, std::string_view reason) {
  throw std::invalid_argument{fmt::format("\"{}\" is not {}: {}", text, what, reason)};
}

}  // namespace freshet::tool
