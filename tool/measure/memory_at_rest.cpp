// A source of its own: test programs link an immediate take_backed_memory() in its place.
#include "tool/base/interrupt.hpp"
#include "tool/measure/memory.hpp"

namespace freshet::tool {
namespace {

constexpr double seconds_to_try = 10;
constexpr double seconds_to_guess = 2;  // if nothing says that the hypervisor takes free memory back
// Every two seconds Linux reports some of its free memory to the hypervisor (mm/page_reporting.c).
constexpr double seconds_to_rest = 12;

}  // namespace

void memory_in_use::take_backed_memory() {
  constexpr int attempts = 3;
  for (int attempt = 0; attempt < attempts && !all_backed_; ++attempt) {
    // Holding too much memory would make the kernel write out files sooner.
    if (attempt > 0 || huge_.bytes() + small_.bytes() > available_memory()) {
      release();
      sleep_interruptibly(seconds_to_rest);
    }
    if (reach_unbacked_memory()) return;
    all_backed_ = !comes_to_rest_;
  }
  release();
  all_backed_ = true;
}

bool memory_in_use::reach_unbacked_memory() {
  const double patience = comes_to_rest_ ? seconds_to_try : seconds_to_guess;
  if (!huge_.take_until_slow(patience) || !small_.take_until_slow(patience)) return false;
  comes_to_rest_ = true;
  return true;
}

}  // namespace freshet::tool
