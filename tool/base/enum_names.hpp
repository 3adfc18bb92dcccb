// The names of an enumeration's values: on the command line, in files, in the store and in JSON.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>

namespace freshet::tool {

/// The names of the values of `Enumeration`, which begin with 0, in their order. An enumeration with names specialises
/// it, as an array of std::string_view.
template <typename Enumeration>
inline constexpr std::array<std::string_view, 0> enum_names{};

template <typename Enumeration>
concept named_enum = std::is_enum_v<Enumeration> && !enum_names<Enumeration>.empty();

template <named_enum Enumeration>
[[nodiscard]] constexpr std::string_view to_string(Enumeration value) noexcept {
  return enum_names<Enumeration>[static_cast<std::size_t>(value)];
}

/// All values, in their order.
template <named_enum Enumeration>
inline constexpr auto enum_values = [] {
  std::array<Enumeration, enum_names<Enumeration>.size()> all{};
  for (std::size_t at = 0; at < all.size(); ++at) all[at] = static_cast<Enumeration>(at);
  return all;
}();

/// The value of that name; empty if there is none.
template <named_enum Enumeration>
[[nodiscard]] constexpr std::optional<Enumeration> from_name(std::string_view name) noexcept {
  const auto known = std::ranges::find(enum_names<Enumeration>, name);
  if (known == enum_names<Enumeration>.end()) return {};
  return static_cast<Enumeration>(known - enum_names<Enumeration>.begin());
}

}  // namespace freshet::tool
