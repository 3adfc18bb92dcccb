// Which winners of a tuning become the profile's entry.
#pragma once

#include <freshet/profile.hpp>

#include "tool/search/tuning.hpp"

namespace freshet::tool {

/// Whether the class has a winner that was compared with every method: a winner without rivals shows nothing.
[[nodiscard]] bool is_worth_saving(const class_result& result);

/// The profile's entry: the winner of each class that is worth saving.
[[nodiscard]] file_system_profile make_profile(const tuning& result);

}  // namespace freshet::tool
