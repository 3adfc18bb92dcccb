// What the answers change in the profile.
#pragma once

#include <string>
#include <vector>

#include <freshet/profile.hpp>

#include "tool/search/tuning.hpp"

namespace freshet::tool {

/// The way that the profile should name for a class.
struct profile_choice {
  const ranked_candidate* way = nullptr;  ///< null: what programs get by themselves stands
  std::string unknown = {};               ///< what a longer run would settle; empty: it is settled
};

/// Returns what the answer says for the profile: with other blocks, if those were tried and are better. The result
/// points into `result`.
[[nodiscard]] profile_choice choose_for_profile(const class_result& result);

/// Names the class's best way in `entry`, with what was measured of all ways: as it would be saved, whatever the answer
/// is. A way that takes every file to its end keeps doing so. Precondition: the class's ranking is not empty.
void name_best_way(file_system_profile& entry, const class_result& result);
/// Makes the way that `entry` will have for the class take every file to its end.
void keep_fixed(file_system_profile& entry, io_class measured_class);

/// What a tune changes in a file system's entry of the profile.
struct profile_change {
  file_system_profile entry;           ///< the old one with the changes
  std::vector<io_class> saved = {};    ///< whose way is named from now on
  std::vector<io_class> removed = {};  ///< whose old way is slower than what programs get by themselves
  std::vector<io_class> kept = {};     ///< whose old way is settled, and the new one is not
  std::vector<io_class> renewed = {};  ///< whose old way stays, with figures of this run
  [[nodiscard]] bool changes_anything() const noexcept {
    return !saved.empty() || !removed.empty() || !renewed.empty();
  }
};

/// Returns the entry with the choice of each class. What is settled is not replaced by what is not; an old way that is
/// shown to be slower than what programs get by themselves is removed, and so is one with which programs are; else
/// classes without a choice keep what `old` has, with new figures where the answer is sure.
[[nodiscard]] profile_change change_profile(const tuning& result, const file_system_profile& old = {});

}  // namespace freshet::tool
