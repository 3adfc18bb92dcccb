// The text file of "Creating text files": line n is (n mod 8) tabs, "All work and no play makes ", name[n mod 6],
// " a dull boy.", newline; as many whole lines as fit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace freshet::tool {

namespace text_piece {
inline constexpr std::string_view tabs = "\t\t\t\t\t\t\t";
inline constexpr std::string_view before = "All work and no play makes ";
inline constexpr std::array<std::string_view, 6> names = {
    "Jack", "Justin Michel", "Fred Flintstone", "Barney Rubble", "Homer J. Simpson", "John Jacob Jingleheimer Schmidt"};
inline constexpr std::string_view after = " a dull boy.";
inline constexpr std::string_view newline = "\n";
}  // namespace text_piece

/// The changing parts of line `number` (from 1).
[[nodiscard]] constexpr std::string_view text_tabs(std::uint64_t number) {
  return text_piece::tabs.substr(0, static_cast<std::size_t>(number % 8));
}
[[nodiscard]] constexpr std::string_view text_name(std::uint64_t number) { return text_piece::names[number % 6]; }

/// Bytes of line `number`, its newline included.
[[nodiscard]] constexpr std::size_t text_line_length(std::uint64_t number) {
  return text_tabs(number).size() + text_piece::before.size() + text_name(number).size() + text_piece::after.size() +
         text_piece::newline.size();
}

/// Makes the file's lines, a piece at a time. The lines repeat after 24, the least common multiple of 8 and 6: as much
/// is written without a decision, and with lengths that the compiler knows, so that it is the writing that takes the
/// time.
class text_source {
 public:
  /// Lines for a file of at most `size` bytes.
  constexpr explicit text_source(std::uint64_t size) noexcept : size_{size} {}

  /// Writes about `count` further lines to `out`, which needs write(std::string_view); false when the file is complete.
  template <typename Out>
  bool write_some(Out& out, std::uint64_t count) {
    for (const std::uint64_t end = lines_ + count; lines_ < end;) {
      if (size_ - bytes_ >= cycle_length) {
        write_cycle(out, std::make_index_sequence<cycle>{});
        lines_ += cycle;
        bytes_ += cycle_length;
      } else if (!write_last(out)) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] constexpr std::uint64_t lines() const noexcept { return lines_; }
  [[nodiscard]] constexpr std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  static constexpr std::uint64_t cycle = 24;
  static constexpr std::uint64_t cycle_length = [] {
    std::uint64_t sum = 0;
    for (std::uint64_t number = 1; number <= cycle; ++number) sum += text_line_length(number);
    return sum;
  }();

  template <typename Out, std::size_t... Line>
  static void write_cycle(Out& out, std::index_sequence<Line...>) {
    (write_line(out, Line + 1), ...);
  }

  template <typename Out>
  [[gnu::always_inline]] static void write_line(Out& out, std::uint64_t number) {
    if (number % 8 != 0) out.write(text_tabs(number));
    out.write(text_piece::before);
    out.write(text_name(number));
    out.write(text_piece::after);
    out.write(text_piece::newline);
  }

  // One line, if it still fits.
  template <typename Out>
  bool write_last(Out& out) {
    const std::size_t length = text_line_length(lines_ + 1);
    if (size_ - bytes_ < length) return false;
    write_line(out, lines_ + 1);
    ++lines_;
    bytes_ += length;
    return true;
  }

  std::uint64_t size_;
  std::uint64_t lines_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace freshet::tool
