// The ways to move a file's bytes.
#pragma once

#include <array>
#include <cstdint>

namespace freshet::detail {

enum class way : std::uint8_t {
  kept,    ///< through the page cache, which keeps them
  behind,  ///< through the page cache, which gives them back once the device has them
  past,    ///< past the page cache
};
inline constexpr std::array all_ways{way::kept, way::behind, way::past};

/// That member of `ways` (measured_ways, for example) which is of `one`.
template <class Ways>
[[nodiscard]] constexpr auto& figure_of(Ways& ways, way one) noexcept {
  return one == way::kept ? ways.kept : one == way::behind ? ways.behind : ways.past;
}

}  // namespace freshet::detail
