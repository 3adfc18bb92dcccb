// Which winners become the profile's entry, and what is still unknown of them.
#pragma once

#include <string>

#include <freshet/profile.hpp>

#include "tool/search/tuning.hpp"

namespace freshet::tool {

/// What a class's race found for the profile.
struct profile_choice {
  const ranked_candidate* winner = nullptr;  ///< null: the library's default stands
  std::string unknown = {};                  ///< what a longer run would settle; without a winner, why there is none
};

/// Returns the class's winner, which keeps its method: programs begin with it. It must have been compared with every
/// method or, on whatever trials there are, be surely better than `buffered`, with which programs begin without a
/// profile. Without a valid trial of `buffered` the default stands. The result points into `result`.
[[nodiscard]] profile_choice choose_for_profile(const class_result& result);

/// The profile's entry: the choice of each class and, of classes for which nothing was chosen, what `old` has.
[[nodiscard]] file_system_profile make_profile(const tuning& result, const file_system_profile& old = {});

}  // namespace freshet::tool
