// JSON as a golden file holds it.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

namespace freshet::test {

/// One value a line. Numbers have six significant digits, because the last ones depend on the compiler and on libm.
[[nodiscard]] inline std::string golden_json(nlohmann::json of) {
  const auto round = [](auto& self, nlohmann::json& value) -> void {
    if (value.is_number_float())
      value = std::stod(fmt::format("{:.6g}", value.get<double>()));
    else if (value.is_structured())
      for (nlohmann::json& each : value) self(self, each);
  };
  round(round, of);
  return of.dump(2) + "\n";
}

}  // namespace freshet::test
