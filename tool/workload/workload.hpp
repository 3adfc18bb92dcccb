// Writes the workloads `text` and `blocks` to anything that has write().
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "tool/base/interrupt.hpp"
#include "tool/workload/blocks.hpp"

namespace freshet::tool {

namespace text_piece {
inline constexpr std::string_view tabs = "\t\t\t\t\t\t\t";
inline constexpr std::string_view before = "All work and no play makes ";
inline constexpr std::array<std::string_view, 6> names = {
    "Jack", "Justin Michel", "Fred Flintstone", "Barney Rubble", "Homer J. Simpson", "John Jacob Jingleheimer Schmidt"};
inline constexpr std::string_view after = " a dull boy.";
inline constexpr std::string_view newline = "\n";
}  // namespace text_piece

/// The parts of line `number`, counted from 1, that differ between lines.
[[nodiscard]] constexpr std::string_view text_tabs(std::uint64_t number) {
  return text_piece::tabs.substr(0, static_cast<std::size_t>(number % 8));
}
[[nodiscard]] constexpr std::string_view text_name(std::uint64_t number) { return text_piece::names[number % 6]; }

/// Bytes of line `number`, including its newline.
[[nodiscard]] constexpr std::size_t text_line_length(std::uint64_t number) {
  return text_tabs(number).size() + text_piece::before.size() + text_name(number).size() + text_piece::after.size() +
         text_piece::newline.size();
}

/// Writes name `index`. A branch for each makes its length known to the compiler.
template <typename Out, std::size_t... Index>
[[gnu::always_inline]] inline void write_text_name(Out& out, std::size_t index, std::index_sequence<Index...> /*all*/) {
  static_cast<void>(((index == Index && (out.write(text_piece::names[Index]), true)) || ...));
}

/// Writes line `number` to `out`, which needs write(std::string_view). Every line is formed from its number, as in the
/// programs that are compared: none uses that the lines repeat.
template <typename Out>
[[gnu::always_inline]] inline void write_text_line(Out& out, std::uint64_t number) {
  if (number % 8 != 0) out.write(text_tabs(number));
  out.write(text_piece::before);
  write_text_name(out, number % text_piece::names.size(), std::make_index_sequence<text_piece::names.size()>{});
  out.write(text_piece::after);
  out.write(text_piece::newline);
}

/// How much a workload wrote.
struct amount {
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;  ///< 0 for blocks
  friend bool operator==(const amount&, const amount&) = default;
};

/// Writes as many whole lines of the text file as fit into `size` bytes. @throws interrupted; what `out` throws
template <typename Out>
amount write_text(Out& out, std::uint64_t size) {
  constexpr std::uint64_t lines_between_checks = 8192;
  amount written;
  for (std::size_t length = text_line_length(1); size - written.bytes >= length;) {
    write_text_line(out, ++written.lines);
    written.bytes += length;
    length = text_line_length(written.lines + 1);
    if (written.lines % lines_between_checks == 0) throw_if_interrupted();
  }
  return written;
}

/// Lines 1 to repeated_lines, after which the same ones follow.
inline constexpr std::uint64_t repeated_lines = std::uint64_t{64} * std::lcm(std::uint64_t{8}, std::uint64_t{6});
[[nodiscard]] std::string_view repeated_text();

/// Writes the bytes that write_text() writes, many lines at a time: for checks, whose own time is nobody's result.
/// @throws interrupted; what `out` throws
template <typename Out>
amount write_repeated_text(Out& out, std::uint64_t size) {
  const std::string_view many = repeated_text();
  amount written;
  for (; size - written.bytes >= many.size(); written.bytes += many.size(), written.lines += repeated_lines) {
    out.write(many);
    throw_if_interrupted();
  }
  for (std::size_t length = 0; size - written.bytes >= (length = text_line_length(written.lines + 1));) {
    write_text_line(out, ++written.lines);
    written.bytes += length;
  }
  return written;
}

/// Writes `size` bytes of `data` in blocks of `block` bytes. A block that reaches the end of `data` is cut there.
/// Precondition: block > 0. @throws interrupted; what `out` throws
template <typename Out>
amount write_blocks(Out& out, const block_data& data, std::uint64_t size, std::size_t block) {
  const std::span<const std::byte> bytes = data.bytes();
  amount written;
  while (written.bytes < size) {
    throw_if_interrupted();
    const auto from = static_cast<std::size_t>(written.bytes % bytes.size());
    const auto length = std::min<std::uint64_t>({block, size - written.bytes, bytes.size() - from});
    out.write(bytes.subspan(from, static_cast<std::size_t>(length)));
    written.bytes += length;
  }
  return written;
}

}  // namespace freshet::tool
