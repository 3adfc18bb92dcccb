// What happens where the library breaks a promise to itself.
#pragma once

#include <cstdlib>
#include <string_view>
#include <system_error>

namespace freshet::detail {

#ifdef FRESHET_ABORTS_ON_DEFECTS
inline constexpr bool aborts_on_defects = true;
#else
inline constexpr bool aborts_on_defects = false;
#endif

/// Returns `holds`. If it does not hold, that is a defect of the library: builds with sanitizers abort; in all others
/// the caller makes it an error of the file, so that nothing is written or read beyond memory.
[[nodiscard]] inline bool keeps_contract(bool holds) noexcept {
  if (!holds && aborts_on_defects) std::abort();
  return holds;
}

/// The error of a file whose window is smaller than promised.
inline constexpr std::errc broken_contract = std::errc::state_not_recoverable;
inline constexpr std::string_view window_too_small = "a defect of freshet: the window is smaller than promised";

}  // namespace freshet::detail
