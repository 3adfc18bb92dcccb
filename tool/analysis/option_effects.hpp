// What each option of a grid is worth: plans that differ in that option alone, in turns.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tool/search/comparison.hpp"

namespace freshet::tool {

/// Two plans that differ in one option: first the one with the first value, then the one with the other.
struct option_cell {
  std::string plan;                                     ///< what they have in common, for people
  comparison against;                                   ///< the second's seconds against the first's
  std::array<std::optional<double>, 2> extents = {};    ///< medians; empty if the system does not tell
  std::array<std::optional<double>, 2> cold_read = {};  ///< MB/s, medians; empty if they were not read back
};

/// One value of an option against another one.
struct option_effect {
  std::string option;  ///< "reserve", as on the command line
  std::string value;   ///< "on"
  std::string base;    ///< "off"
  double ratio = 1;    ///< of seconds: the geometric mean of the cells'
  std::vector<option_cell> cells;
};

/// The effects of those compared_options() in which some of the candidates differ, each value against the usual one, or
/// else the one that comes first among the candidates. Candidates without a usable trial are ignored, as are values
/// that no two of them differ in alone. Precondition: all are of one class.
[[nodiscard]] std::vector<option_effect> find_option_effects(std::span<const candidate> candidates);

}  // namespace freshet::tool
