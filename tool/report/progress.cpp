#include "tool/report/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "tool/base/size.hpp"
#include "tool/report/screen.hpp"

namespace freshet::tool {

std::string describe_progress(const trial_plan& running, const candidate* best) {
  std::string words = fmt::format("{}: {}", to_string(running.what), describe(running));
  if (best != nullptr)
    words += fmt::format("; best {} ({} MB/s)", describe(best->plan), format_figure(1e3 / seconds_per_gb(*best)));
  return words;
}

progress::progress() : on_terminal_{isatty(STDERR_FILENO) == 1} {
  winsize size = {};
  if (on_terminal_ && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) columns_ = size.ws_col;
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
