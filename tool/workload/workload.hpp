// Writes the workloads `text` and `blocks` to anything that has write().
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
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

/// The lines repeat after 24, the least common multiple of 8 and 6.
inline constexpr std::size_t text_cycle = 24;
inline constexpr std::uint64_t text_cycle_length = [] {
  std::uint64_t bytes = 0;
  for (std::uint64_t number = 1; number <= text_cycle; ++number) bytes += text_line_length(number);
  return bytes;
}();

/// Writes line `number` to `out`, which needs write(std::string_view).
template <typename Out>
[[gnu::always_inline]] inline void write_text_line(Out& out, std::uint64_t number) {
  if (number % 8 != 0) out.write(text_tabs(number));
  out.write(text_piece::before);
  out.write(text_name(number));
  out.write(text_piece::after);
  out.write(text_piece::newline);
}

/// Writes a whole cycle without a branch and with lengths that the compiler knows, so that the time is that of writing.
template <typename Out, std::size_t... Line>
void write_text_cycle(Out& out, std::index_sequence<Line...> /*lines*/) {
  (write_text_line(out, Line + 1), ...);
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
  constexpr std::uint64_t cycles_between_checks = 512;
  amount written;
  for (std::uint64_t cycle = 0; size - written.bytes >= text_cycle_length; ++cycle) {
    if (cycle % cycles_between_checks == 0) throw_if_interrupted();
    write_text_cycle(out, std::make_index_sequence<text_cycle>{});
    written.bytes += text_cycle_length;
    written.lines += text_cycle;
  }
  while (size - written.bytes >= text_line_length(written.lines + 1)) {
    write_text_line(out, ++written.lines);
    written.bytes += text_line_length(written.lines);
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
