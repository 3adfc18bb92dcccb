// Whether a stream of constant rate was kept up, what the machine could take beyond it, and the highest rate that
// holds.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/sustain/load.hpp"
#include "tool/base/enum_names.hpp"

namespace freshet::tool {

enum class sustained : std::uint8_t {
  yes,
  no,
  unknown,  ///< the load says nothing about the disk
};
template <>
inline constexpr auto enum_names<sustained> = std::to_array<std::string_view>({"yes", "no", "unknown"});

struct sustain_verdict {
  sustained answer = sustained::unknown;
  std::string words;  ///< one sentence without its end: "yes, with 1.4 x to spare; the longest stall was 80 ms"
  std::optional<double> spare;  ///< times the rate that the machine could take
};

/// Seconds that the device may need at the end for what it lacks, or this share of the load's time: within it, the page
/// cache has not hidden a device that is too slow.
inline constexpr double tolerated_sync = 1;
inline constexpr double tolerated_sync_share = 0.02;

/// Judges a load of `rate` bytes per second.
/// @param most  bytes per second that the machine took as fast as it could; empty: that was not measured
[[nodiscard]] sustain_verdict judge(double rate, const load_result& load, std::optional<double> most = {});

/// The second in which least was written, by samples one after another. Empty if there are fewer than two.
struct slow_second {
  double at = 0;  ///< seconds after the load began
  double rate = 0;
};
[[nodiscard]] std::optional<slow_second> find_worst_second(const load_result& load);

/// Lowers the rate, from just below `most`, until `holds` says so of one. Tries at most `tries`; empty if none holds.
[[nodiscard]] std::optional<double> find_highest_rate(double most, unsigned tries,
                                                      const std::function<bool(double rate)>& holds);

}  // namespace freshet::tool
