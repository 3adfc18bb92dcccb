#include "tool/report/screen.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "tool/base/terminal.hpp"
#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

// Empty if the variable is not set.
std::string_view setting(const char* name) {
  const char* const value = ::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing sets variables
  return value == nullptr ? std::string_view{} : value;
}

bool continues_a_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// Recognizes bytes that take no columns: those from ESC to the letter that ends the sequence.
class escape_sequence {
 public:
  bool takes(char c) {
    if (c == '\x1b') return inside_ = true;
    if (!inside_) return false;
    inside_ = c == '[' || c == ';' || (c >= '0' && c <= '9');
    return true;
  }

 private:
  bool inside_ = false;
};

}  // namespace

std::size_t text_width() {
  const std::size_t columns = terminal_columns(stdout);
  return columns > 0 ? std::clamp<std::size_t>(columns, 40, 100) : screen{}.width;
}

screen standard_screen() {
  constexpr std::size_t unlimited = 1'000'000;
  const bool on_terminal = is_terminal(stdout);
  const bool colours = on_terminal && setting("NO_COLOR").empty() && setting("TERM") != "dumb";
  return {.colours = colours, .unicode = locale_is_utf8(), .width = on_terminal ? text_width() : unlimited};
}

std::size_t count_lines(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

std::string painted(std::string_view text, colour paint, const screen& look) {
  static constexpr std::array<std::string_view, 5> codes{"", "32", "33", "31", "2"};
  if (!look.colours || paint == colour::none || text.empty()) return std::string{text};
  return std::string{"\x1b["}
      .append(codes.at(static_cast<std::size_t>(paint)))
      .append("m")
      .append(text)
      .append("\x1b[0m");
}

std::size_t display_width(std::string_view text) noexcept {
  escape_sequence escape;
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [&](char c) { return !escape.takes(c) && !continues_a_character(c); }));
}

std::string shortened(std::string_view text, std::size_t columns, const screen& look) {
  std::string plain = printable(text);
  if (display_width(plain) <= columns) return plain;
  const std::string_view mark = look.unicode ? "…" : "~";
  std::size_t width = 0;
  const auto end = std::ranges::find_if(plain, [&](char c) { return !continues_a_character(c) && ++width >= columns; });
  plain.erase(end, plain.end());
  return plain.append(mark);
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns) {
  std::string lines;
  std::size_t width = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (width > indent && width + 1 + display_width(word) > columns) {
      lines.append("\n").append(indent, ' ');
      width = indent;
    } else if (width != 0) {
      lines += ' ';
      ++width;
    }
    lines += word;
    width += display_width(word);
  }
  return lines + '\n';
}

std::string fitted(std::string_view text, std::size_t columns) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const bool ends = end < text.size();
    text.remove_prefix(end + (ends ? 1 : 0));
    if (display_width(line) <= columns) {
      lines.append(line).append(ends ? "\n" : "");
      continue;
    }
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t gap = line.substr(0, 2 * columns / 3).rfind("  ");
    const bool has_columns = gap != std::string_view::npos && gap > begin;
    const std::size_t column = has_columns ? line.find_first_not_of(' ', gap) : begin;
    // wrapped() leaves out spaces in front of a word, so they are not given to it.
    std::string rest =
        wrapped(std::string(column, 'x').append(line.substr(column)), has_columns ? column : begin + 2, columns);
    rest.replace(0, column, line.substr(0, column));
    if (!ends) rest.pop_back();
    lines += rest;
  }
  return lines;
}

std::string describe_progress(const trial_plan& running, const candidate* best) {
  std::string words = fmt::format("{}: {}", to_string(running.measured_class), describe(running));
  if (best != nullptr)
    // Figure and unit come first: where the line is cut, a name loses its end.
    words += fmt::format("; best {} MB/s, {}", format_figure(ranking_rate(*best)), describe(best->plan));
  return words;
}

std::string describe_best(const candidate& best) {
  return fmt::format("{}: {} ({} MB/s)", to_string(best.plan.measured_class), describe(best.plan),
                     format_figure(ranking_rate(best)));
}

progress::progress() : on_terminal_{is_terminal(stderr)} {
  if (const std::size_t columns = terminal_columns(stderr); on_terminal_ && columns > 0) columns_ = columns;
}

void progress::show(std::string_view text, double seconds_left) {
  if (!on_terminal_) return;
  clear();
  const std::string left = seconds_left >= 0 ? fmt::format(", {} left", format_duration(seconds_left)) : "";
  // A line that wraps could not be cleared. The last column is left to the cursor.
  const std::size_t room = columns_ > left.size() + 1 ? columns_ - left.size() - 1 : 0;
  fmt::print(stderr, "{}{}", shortened(text, room), left);
  std::fflush(stderr);
  shown_ = true;
}

void progress::clear() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

}  // namespace freshet::tool
