// Text for shells and terminals, and from users; sizes, figures and durations as people type and read them.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace freshet::tool {

/// The word in single quotes, if a shell would not take it literally without them.
[[nodiscard]] std::string quote_for_shell(std::string_view word);

/// `text` with `by` for each `part`. Precondition: `part` is not empty.
[[nodiscard]] std::string replaced(std::string text, std::string_view part, std::string_view by);

/// "1 round", "3 rounds": a count and its noun.
[[nodiscard]] std::string format_count(std::uint64_t count, std::string_view noun);

/// Whether a terminal may take the byte as a command: a control character of ASCII.
[[nodiscard]] bool is_control(char byte) noexcept;

/// The text with capital letters for those of ASCII.
[[nodiscard]] std::string to_upper(std::string text);

/// `text` as a terminal may show it: with "?" for each control character except for newlines, and for each byte that
/// is not UTF-8.
[[nodiscard]] std::string replace_controls(std::string_view text);

/// The same on one line: with "?" for newlines, too. For names of files.
[[nodiscard]] std::string printable(std::string_view text);

/// Refuses a text that a user typed. @throws std::invalid_argument  always: "`text`" is not `noun`: `reason`
[[noreturn]] void reject(std::string_view text, std::string_view noun, std::string_view reason);

/// The number that the whole text is; empty if it is none of that type.
template <typename Number>
[[nodiscard]] std::optional<Number> read_number(std::string_view text) {
  Number number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc{} && end == text.data() + text.size() ? std::optional{number} : std::nullopt;
}

/// A whole number. @throws std::invalid_argument  unless it is from `least` to `most`
template <typename Number>
[[nodiscard]] Number parse_number(std::string_view text, Number least, Number most, std::string_view noun) {
  if (const auto number = read_number<Number>(text); number >= least && number <= most) return *number;
  reject(text, noun, "expected " + std::to_string(least) + " to " + std::to_string(most));
}

/// How many letters have to be inserted, removed or replaced to make one word the other.
[[nodiscard]] std::size_t edit_distance(std::string_view one, std::string_view other);

/// Bytes handed over at a time where neither the user nor the method says otherwise.
inline constexpr std::size_t default_block = std::size_t{256} << 10;

/// Reads a number of bytes, such as "12", "64K", "1M", "4G" or "1T". The letters are powers of two.
/// @throws std::invalid_argument  naming `text` and what is wrong with it
[[nodiscard]] std::uint64_t parse_size(std::string_view text);

/// Reads sizes separated by commas. @throws std::invalid_argument
[[nodiscard]] std::vector<std::uint64_t> parse_sizes(std::string_view text);

/// "1 GiB", "64 KiB", "1.5 MiB", "12 bytes".
[[nodiscard]] std::string format_size(std::uint64_t bytes);
/// The bytes as parse_size() reads them: "64K", "1G", "100".
[[nodiscard]] std::string format_size_argument(std::uint64_t bytes);

/// Three significant digits: "3120", "312", "31.2", "0.312".
[[nodiscard]] std::string format_figure(double value);

/// "12 s", "3 min 20 s", "1 h 5 min".
[[nodiscard]] std::string format_duration(double seconds);

}  // namespace freshet::tool
