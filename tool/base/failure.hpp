// Why something failed, in words for people.
#pragma once

#include <exception>
#include <string>

namespace freshet::tool {

/// What failed and why, also where the C++ library itself reports it and names neither: memory or a thread that is
/// refused.
[[nodiscard]] std::string describe_failure(const std::exception& failure);

}  // namespace freshet::tool
