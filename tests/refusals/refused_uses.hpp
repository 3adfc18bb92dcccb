// What a program may be refused: the uses of system calls in the table, each with all its errors.
#pragma once

#include <algorithm>
#include <vector>

#include "tests/refusals/seam_calls.hpp"

namespace freshet::test {

struct refused_use {
  system_call call;
  std::vector<int> errors;
  effect without;
};

/// The rows of the table, each call once, but for those that no program outlives.
[[nodiscard]] inline std::vector<refused_use> refused_uses() {
  std::vector<refused_use> uses;
  for (const seam_call& each : seam_calls()) {
    if (each.without == effect::ends_program) continue;
    const auto same = [&](const refused_use& one) { return one.call.name == each.call.name; };
    auto found = std::ranges::find_if(uses, same);
    if (found == uses.end()) found = uses.insert(uses.end(), {each.call, usual_refusals, each.without});
    for (const int error : each.errors)
      if (std::ranges::find(found->errors, error) == found->errors.end()) found->errors.push_back(error);
  }
  return uses;
}

}  // namespace freshet::test
