// The line that shows the progress of a long command.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tool/search/ranking.hpp"

namespace freshet::tool {

/// "none: uring 4 MiB x 2; best direct 4 MiB (3120 MB/s)": the running plan, and the best so far of its class, if
/// there is one.
[[nodiscard]] std::string describe_progress(const trial_plan& running, const candidate* best);

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
