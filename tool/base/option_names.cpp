#include "tool/base/option_names.hpp"

#include <cstddef>

namespace freshet::tool {
namespace {

// In the order of the values, which begin with 0.
template <std::size_t Count, typename Kind>
constexpr std::string_view name_in(const std::array<std::string_view, Count>& names, Kind kind) noexcept {
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace

std::string_view name_of(access order) noexcept {
  return name_in(std::to_array<std::string_view>({"sequential", "random", "once"}), order);
}

std::string_view name_of(caching kind) noexcept {
  return name_in(std::to_array<std::string_view>({"automatic", "keep", "drop", "bypass"}), kind);
}

std::string_view name_of(checksum_algorithm algorithm) noexcept {
  return name_in(std::to_array<std::string_view>({"none", "xxh3"}), algorithm);
}

}  // namespace freshet::tool
