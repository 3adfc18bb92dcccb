// JSON as a golden file holds it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/golden.hpp"

namespace freshet::test {

/// One value a line.
[[nodiscard]] inline std::string golden_json(const nlohmann::json& of) { return with_nine_digits(of.dump(2)) + "\n"; }

}  // namespace freshet::test
