#include "report/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "size.hpp"

namespace freshet::tool {

progress::progress() : on_terminal_{isatty(STDERR_FILENO) == 1} {}

void progress::show(std::string_view what, double seconds_left) {
  if (!on_terminal_) return;
  clear();
  fmt::print(stderr, "{}", what);
  if (seconds_left >= 0) fmt::print(stderr, ", {} left", format_duration(seconds_left));
  std::fflush(stderr);
  shown_ = true;
}

void progress::clear() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

}  // namespace freshet::tool
