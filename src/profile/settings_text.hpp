// Values in the tables of a profile, and what was measured of each way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <freshet/profile.hpp>

#include "src/profile/toml_text.hpp"

namespace freshet::detail {

/// A number of bytes, or a string like "4M" (a power of two); empty if `value` is neither.
[[nodiscard]] std::optional<std::uint64_t> read_size(const toml::node& value);
/// A number from `least` to `most`, both finite, to the six digits with which it would be written; empty if it is none.
[[nodiscard]] std::optional<double> read_number(const toml::node& value, double least, double most);
/// Explains what is wrong with `value`; empty if it is a block that writers and readers take.
[[nodiscard]] std::string read_block(const toml::node& value, std::size_t& into);
/// The same for a number of blocks.
[[nodiscard]] std::string read_depth(const toml::node& value, unsigned& into);

/// Whether `key` names a table of what was measured of a way.
[[nodiscard]] bool names_way(std::string_view key) noexcept;
/// Reads the table of the way `key`. Leaves out the whole table, after a warning, if any value in it is wrong.
/// Precondition: names_way(key).
void read_way(std::string_view key, const toml::node& value, measured_ways& into,
              const std::function<void(const toml::node& where, const std::string& fault)>& warn);
/// Adds a table for each way that was measured.
void put_ways(toml::table& into, const measured_ways& measured);

}  // namespace freshet::detail
