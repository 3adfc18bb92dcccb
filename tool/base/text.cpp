#include "tool/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace freshet::tool {
namespace {

constexpr std::string_view letters = "KMGT";

// The power of 1024 that the letter stands for; 0 if it stands for none.
unsigned power_of(char letter) {
  const char upper = letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  const std::size_t at = letters.find(upper);
  return at == std::string_view::npos ? 0 : static_cast<unsigned>(at) + 1;
}

constexpr std::string_view a_size = "a size";

// How many bytes the character of UTF-8 at the front of `text` has; 0 if there is none. Precondition: there is a byte.
std::size_t length_of_character(std::string_view text) {
  const auto octet = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  if (octet(0) < 0x80) return 1;
  const std::size_t length = octet(0) >= 0xF0 ? 4 : octet(0) >= 0xE0 ? 3 : 2;
  if (octet(0) < 0xC0 || octet(0) >= 0xF8 || text.size() < length) return 0;
  std::uint32_t code = octet(0) & (0x7FU >> length);
  for (std::size_t at = 1; at < length; ++at) {
    if ((octet(at) & 0xC0U) != 0x80) return 0;
    code = code << 6 | (octet(at) & 0x3FU);
  }
  // Table 3-7 of the Unicode standard: no overlong forms, no surrogates, nothing beyond U+10FFFF.
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < least[length] || is_surrogate || code > 0x10FFFF ? 0 : length;
}

// Those of ASCII and, as two bytes, U+0080 to U+009F, which some terminals obey as well.
bool is_control_character(std::string_view character) {
  return is_control(character.front()) ||
         (character.front() == '\xC2' && static_cast<unsigned char>(character[1]) < 0xA0);
}

}  // namespace

std::string quote_for_shell(std::string_view word) {
  constexpr auto literal = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@%+=:,./_-";
  if (!word.empty() && word.find_first_not_of(literal) == std::string_view::npos) return std::string{word};
  return "'" + replaced(std::string{word}, "'", "'\\''") + "'";
}

std::string replaced(std::string text, std::string_view part, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += by.size())
    text.replace(at, part.size(), by);
  return text;
}

std::string format_count(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

bool is_control(char byte) noexcept { return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F; }

std::string to_upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return text;
}

std::string replace_controls(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = length_of_character(text);
    const bool is_harmless = length != 0 && (text.front() == '\n' || !is_control_character(text.substr(0, length)));
    shown += is_harmless ? text.substr(0, length) : "?";
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return shown;
}

std::string printable(std::string_view text) {
  std::string shown = replace_controls(text);
  std::ranges::replace(shown, '\n', '?');
  return shown;
}

void reject(std::string_view text, std::string_view noun, std::string_view reason) {
  throw std::invalid_argument{fmt::format("\"{}\" is not {}: {}", replace_controls(text), noun, reason)};
}

std::uint64_t parse_size(std::string_view text) {
  if (text.starts_with('-')) reject(text, a_size, "it must not be negative");
  std::uint64_t number = 0;
  const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status == std::errc::result_out_of_range) reject(text, a_size, "it is too large");
  const std::string_view suffix = text.substr(static_cast<std::size_t>(rest - text.data()));
  const unsigned power = suffix.size() == 1 ? power_of(suffix.front()) : 0;
  if (status != std::errc{} || (!suffix.empty() && power == 0))
    reject(text, a_size, "expected a whole number, with K, M, G or T after it for powers of two, such as 64K");
  const unsigned shift = 10 * power;
  // The limit is half of what 64 bits hold, because files have signed offsets.
  if (number > (std::numeric_limits<std::uint64_t>::max() >> 1 >> shift)) reject(text, a_size, "it is too large");
  return number << shift;
}

std::vector<std::uint64_t> parse_sizes(std::string_view text) {
  std::vector<std::uint64_t> sizes;
  while (true) {
    const std::size_t comma = text.find(',');
    sizes.push_back(parse_size(text.substr(0, comma)));
    if (comma == std::string_view::npos) return sizes;
    text.remove_prefix(comma + 1);
  }
}

std::size_t edit_distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t replaced = diagonal + (one[i] == other[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string format_size(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  unsigned power = 1;
  while (power < letters.size() && bytes >> (10 * (power + 1)) != 0) ++power;
  const std::uint64_t unit = std::uint64_t{1} << (10 * power);
  const char letter = letters[power - 1];
  if (bytes % unit == 0) return fmt::format("{} {}iB", bytes / unit, letter);
  return fmt::format("{} {}iB", format_figure(static_cast<double>(bytes) / static_cast<double>(unit)), letter);
}

std::string format_size_argument(std::uint64_t bytes) {
  std::size_t power = 0;
  while (bytes != 0 && bytes % 1024 == 0 && power < letters.size()) {
    bytes /= 1024;
    ++power;
  }
  return fmt::format("{}{}", bytes, power == 0 ? "" : letters.substr(power - 1, 1));
}

std::string format_figure(double value) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";
  // The power of ten after rounding to three digits: 9.996 becomes 10.0.
  const double magnitude = std::floor(std::log10(std::abs(value)));
  const double step = std::pow(10.0, magnitude - 2);
  const double rounded = std::round(value / step) * step;
  const int digits_before = static_cast<int>(std::floor(std::log10(std::abs(rounded)) + 1e-9)) + 1;
  return fmt::format("{:.{}f}", rounded, digits_before >= 3 ? 0 : 3 - digits_before);
}

std::string format_duration(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::max(0.0, std::round(seconds)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace freshet::tool
