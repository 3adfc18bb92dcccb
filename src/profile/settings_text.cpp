#include "src/profile/settings_text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <locale>
#include <sstream>
#include <utility>

#include "src/base/pool.hpp"

namespace freshet::detail {
namespace {

constexpr unsigned deepest = 64;
constexpr double slowest_rate = 0.001;  // MB/s
constexpr double fastest_rate = 1e6;
constexpr double widest_spread = 100;

constexpr auto way_names = std::to_array<std::pair<std::string_view, way_figure measured_ways::*>>(
    {{"kept", &measured_ways::kept}, {"behind", &measured_ways::behind}, {"past", &measured_ways::past}});

/// Parses "4194304" or "4M"; K, M and G are powers of two.
std::optional<std::uint64_t> parse_size(std::string_view text) {
  std::uint64_t number = 0;
  const auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{}) return {};
  const std::string_view unit = text.substr(static_cast<std::size_t>(rest - text.data()));
  constexpr std::string_view units = "KMG";
  unsigned shift = 0;
  if (!unit.empty()) {
    const std::size_t at = units.find(unit.front());
    if (unit.size() > 1 || at == std::string_view::npos) return {};
    shift = 10 * (static_cast<unsigned>(at) + 1);
  }
  if (number > (~std::uint64_t{0} >> shift)) return {};
  return number << shift;
}

/// To six digits: what was read is then written as it was, and the digits hide what a division rounds.
double shorten(double number) {
  std::stringstream digits;
  digits.imbue(std::locale::classic());
  digits << number;
  digits >> number;
  return number;
}

std::string read_rate(const toml::node& value, double& seconds_per_byte) {
  const auto rate = read_number(value, slowest_rate, fastest_rate);
  if (!rate) return "'rate' must be from 0.001 to 1000000 MB/s";
  seconds_per_byte = 1e-6 / *rate;
  return {};
}

std::string read_spread(const toml::node& value, double& into) {
  const auto spread = read_number(value, 0, widest_spread);
  if (!spread) return "'spread' must be from 0 to 100";
  into = *spread;
  return {};
}

std::string read_bytes(const toml::node& value, std::uint64_t& into) {
  const auto bytes = read_size(value);
  if (!bytes) return "'bytes' must be a number of bytes or a string like \"1G\"";
  into = *bytes;
  return {};
}

}  // namespace

std::optional<std::uint64_t> read_size(const toml::node& value) {
  if (const auto number = value.value_exact<std::int64_t>()) {
    if (*number < 0) return {};
    return static_cast<std::uint64_t>(*number);
  }
  if (const auto text = value.value_exact<std::string_view>()) return parse_size(*text);
  return {};
}

std::optional<double> read_number(const toml::node& value, double least, double most) {
  if (!value.is_number()) return {};
  const auto number = value.value<double>();
  if (!number || !(*number >= least && *number <= most)) return {};
  return shorten(*number);
}

std::string read_block(const toml::node& value, std::size_t& into) {
  const auto bytes = read_size(value);
  if (!bytes || !std::has_single_bit(*bytes) || *bytes < smallest_block || *bytes > largest_block)
    return "'block' must be a power of two from 4K to 64M";
  into = static_cast<std::size_t>(*bytes);
  return {};
}

std::string read_depth(const toml::node& value, unsigned& into) {
  const auto blocks = value.value_exact<std::int64_t>();
  if (!blocks || *blocks < 1 || *blocks > std::int64_t{deepest}) return "'depth' must be from 1 to 64";
  into = static_cast<unsigned>(*blocks);
  return {};
}

bool names_way(std::string_view key) noexcept {
  return std::any_of(way_names.begin(), way_names.end(), [&](const auto& each) { return each.first == key; });
}

void read_way(std::string_view key, const toml::node& value, measured_ways& into,
              const std::function<void(const toml::node& where, const std::string& fault)>& warn) {
  const auto* const way =
      std::find_if(way_names.begin(), way_names.end(), [&](const auto& each) { return each.first == key; });
  const std::string left_out = "; '" + std::string{key} + "' is ignored";
  const toml::table* const table = value.as_table();
  if (table == nullptr) return warn(value, "'" + std::string{key} + "' must be a table" + left_out);
  measured_ways read = into;
  way_figure& figure = read.*way->second;
  for (const auto& [name, node] : *table) {
    std::string fault;
    if (name == "rate")
      fault = read_rate(node, figure.seconds_per_byte);
    else if (name == "spread")
      fault = read_spread(node, figure.spread);
    else if (name == "bytes")
      fault = read_bytes(node, figure.bytes);
    else if (name == "block" && key == "past")
      fault = read_block(node, read.block);
    else if (name == "depth" && key == "past")
      fault = read_depth(node, read.depth);
    else
      warn(node, "unknown key '" + std::string{name.str()} + "'");
    if (!fault.empty()) return warn(node, fault + left_out);
  }
  if (figure.seconds_per_byte == 0) return warn(value, "'rate' is missing" + left_out);
  into = read;
}

void put_ways(toml::table& into, const measured_ways& measured) {
  for (const auto& [name, way] : way_names) {
    const way_figure& figure = measured.*way;
    const double rate = shorten(1e-6 / figure.seconds_per_byte);
    if (!(rate >= slowest_rate && rate <= fastest_rate)) continue;
    toml::table table;
    table.insert("rate", rate);
    if (figure.spread > 0) table.insert("spread", shorten(std::min(figure.spread, widest_spread)));
    if (figure.bytes != 0) table.insert("bytes", static_cast<std::int64_t>(figure.bytes));
    if (name == "past" && measured.block != 0) table.insert("block", static_cast<std::int64_t>(measured.block));
    if (name == "past" && measured.depth != 0) table.insert("depth", std::int64_t{measured.depth});
    into.insert(name, std::move(table));
  }
}

}  // namespace freshet::detail
