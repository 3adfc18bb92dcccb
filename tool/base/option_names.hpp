// The names of the library's options, on the command line and in JSON.
#pragma once

#include <array>
#include <string_view>

#include <freshet/options.hpp>

namespace freshet::tool {

inline constexpr std::array all_access{access::sequential, access::random, access::once};
inline constexpr std::array all_caching{caching::automatic, caching::keep, caching::drop, caching::bypass};
inline constexpr std::array all_checksums{checksum_algorithm::none, checksum_algorithm::xxh3};

/// "sequential", "random", "once".
[[nodiscard]] std::string_view name_of(access order) noexcept;
/// "automatic", "keep", "drop", "bypass".
[[nodiscard]] std::string_view name_of(caching kind) noexcept;
/// "none", "xxh3".
[[nodiscard]] std::string_view name_of(checksum_algorithm algorithm) noexcept;

}  // namespace freshet::tool
