// The published comparison of streaming and buffering, for a sweep's corpora.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace freshet::tool {

/// Where the published figures come from, in few words.
inline constexpr std::string_view published_setting = "C#, 2 processors, one disk of 2008, rebooted before each run";

/// A cell of the published tables. All of it had cold input.
struct published_cell {
  std::uint64_t bytes_per_file = 0;  ///< of the input: it tells the corpora apart
  std::string strategy;              ///< "streaming" or "buffering"
  unsigned threads = 1;
  unsigned work = 0;
};

/// The published speed in MB (10^6 bytes) of input per second; empty if nothing was published for the cell.
[[nodiscard]] std::optional<double> published_speed(const published_cell& cell);

}  // namespace freshet::tool
