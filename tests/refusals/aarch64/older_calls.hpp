// This processor has no older calls.
#pragma once

#include <array>

#include "tests/refusals/older_call.hpp"

namespace freshet::test {

inline constexpr std::array<older_call, 0> older_calls{};

}  // namespace freshet::test
