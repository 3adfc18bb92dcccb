// The line that says how far a long call is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tool/search/ranking.hpp"

namespace freshet::tool {

/// "none: uring 4 MiB x 2; best direct 4 MiB (3120 MB/s)": what runs now, and the best so far of its class, if any.
[[nodiscard]] std::string progress_words(const trial_plan& running, const candidate* best);

/// A line on standard error that is written over again and again, cut to the terminal's width; nothing at all where
/// that is no terminal.
class progress {
 public:
  progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress() { clear(); }

  /// Whether anybody sees what is shown.
  [[nodiscard]] bool is_seen() const noexcept { return on_terminal_; }
  /// Shows `what` and, where it is known (not negative), the time left.
  void show(std::string_view what, double seconds_left = -1);
  /// Leaves an empty line, for other output.
  void clear();

 private:
  bool on_terminal_;
  std::size_t columns_ = 80;
  bool shown_ = false;
};

}  // namespace freshet::tool
