// The line that says how far a long call is.
#pragma once

#include <string_view>

namespace freshet::tool {

/// A line on standard error that is written over again and again; nothing at all where that is no terminal.
class progress {
 public:
  progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress() { clear(); }

  /// Shows `what` and, where it is known (not negative), the time left.
  void show(std::string_view what, double seconds_left = -1);
  /// Leaves an empty line, for other output.
  void clear();

 private:
  bool on_terminal_;
  bool shown_ = false;
};

}  // namespace freshet::tool
