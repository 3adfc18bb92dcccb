// The names of the library's options, on the command line and in JSON.
#pragma once

#include <array>
#include <string_view>

#include <freshet/options.hpp>

#include "tool/base/enum_names.hpp"

namespace freshet::tool {

template <>
inline constexpr auto enum_names<access> = std::to_array<std::string_view>({"sequential", "random", "once"});
template <>
inline constexpr auto enum_names<caching> = std::to_array<std::string_view>({"automatic", "keep", "drop", "bypass"});
template <>
inline constexpr auto enum_names<checksum_algorithm> = std::to_array<std::string_view>({"none", "xxh3"});

}  // namespace freshet::tool
