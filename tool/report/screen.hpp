// What the output can show, text made to fit it, and the line that shows the progress of a long command.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tool/search/ranking.hpp"

namespace freshet::tool {

/// The capabilities of the output.
struct screen {
  bool colours = false;
  bool unicode = false;    ///< more than ASCII
  std::size_t width = 80;  ///< columns
};

/// The columns that text may take: those of the terminal that is standard output, from 40 to 100; 80 if it is none.
[[nodiscard]] std::size_t text_width();

/// Inspects standard output. It has colours if it is a terminal, TERM is not "dumb" and NO_COLOR is unset or empty; it
/// has characters beyond ASCII if the locale is UTF-8; and it has room for everything unless it is a terminal, so that
/// what other programs read is never cut. Source: no-color.org.
[[nodiscard]] screen standard_screen();

/// The meaning of a colour. Everything that a colour says, a sign says as well.
enum class colour : std::uint8_t { none, good, doubtful, bad, faint };

/// Returns `text` in that colour, or unchanged if there are no colours.
[[nodiscard]] std::string painted(std::string_view text, colour paint, const screen& look);

/// Returns the number of columns that UTF-8 text takes: its characters without the sequences that change colours. Wide
/// and combining characters count as one.
[[nodiscard]] std::size_t display_width(std::string_view text) noexcept;

/// Returns `text` in at most `columns` columns; if it is longer, its end is cut and the cut is marked. Characters that
/// would move the cursor are replaced by "?".
[[nodiscard]] std::string shortened(std::string_view text, std::size_t columns, const screen& look = {});

/// Breaks `text` into lines no wider than `columns` (unless a single word is), and indents all but the first by
/// `indent`. Ends with a newline.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent = 2, std::size_t columns = text_width());

/// The lines of a text of which each ends with a newline.
[[nodiscard]] std::size_t count_lines(std::string_view text) noexcept;

/// Breaks the lines of `text` that are wider than `columns`, as wrapped() does: what goes on stands below the last
/// column of the line, which begins behind two spaces or more, if that is in its left two thirds, and else two columns
/// further right than the line begins.
[[nodiscard]] std::string fitted(std::string_view text, std::size_t columns = text_width());

/// "none: uring 4 MiB x 2; best 3120 MB/s, direct 4 MiB": the running plan, and the best so far of its class, if
/// there is one.
[[nodiscard]] std::string describe_progress(const trial_plan& running, const candidate* best);

/// "none: direct 4 MiB (3120 MB/s)": the best of its class so far.
[[nodiscard]] std::string describe_best(const candidate& best);

/// A line on standard error that is overwritten again and again, cut to the terminal's width. Prints nothing if
/// standard error is not a terminal.
class progress {
 public:
  progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress() { clear(); }

  /// Whether standard error is a terminal.
  [[nodiscard]] bool is_seen() const noexcept { return on_terminal_; }
  /// Shows `text` and, unless it is negative (unknown), the time left.
  void show(std::string_view text, double seconds_left = -1);
  /// Clears the line, for other output.
  void clear();

 private:
  bool on_terminal_;
  std::size_t columns_ = 80;
  bool shown_ = false;
};

}  // namespace freshet::tool
