// Sizes as people type and read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace freshet::tool {

/// Reads "12", "64K", "1M", "4G", "1T": bytes, the letters standing for powers of two.
/// @throws std::invalid_argument  naming `text` and what is wrong with it
[[nodiscard]] std::uint64_t parse_size(std::string_view text);

/// Reads sizes separated by commas. @throws std::invalid_argument
[[nodiscard]] std::vector<std::uint64_t> parse_sizes(std::string_view text);

/// "1 GiB", "64 KiB", "1.5 MiB", "12 bytes".
[[nodiscard]] std::string format_size(std::uint64_t bytes);

/// Three significant digits: "3120", "312", "31.2", "0.312".
[[nodiscard]] std::string format_figure(double value);

/// "12 s", "3 min 20 s", "1 h 5 min".
[[nodiscard]] std::string format_duration(double seconds);

}  // namespace freshet::tool
