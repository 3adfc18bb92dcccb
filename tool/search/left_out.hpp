// Why trials do not count, told in few words.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// The first reason why an invalid trial is invalid.
[[nodiscard]] std::string reason_of(const trial_result& made);

/// Reasons of one kind.
struct left_out_kind {
  std::size_t trials = 0;
  std::string reason;       ///< of one of them; without its details, which follow a colon, where others have others
  bool is_example = false;  ///< others of its kind have other figures
};

/// Puts together the reasons that differ in figures only, or in what follows a colon.
[[nodiscard]] std::vector<left_out_kind> kinds_of(const std::map<std::string, std::size_t>& trials_by_reason);

}  // namespace freshet::tool
