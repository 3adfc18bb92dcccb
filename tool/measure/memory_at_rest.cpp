// Its own translation unit: test programs link an immediate take_what_is_at_hand() in its place.
#include "tool/base/interrupt.hpp"
#include "tool/measure/memory.hpp"

namespace freshet::tool {
namespace {

constexpr double seconds_to_try = 10;
constexpr double seconds_to_guess = 2;  // where nothing says that memory comes to rest
// Linux tells its hypervisor every two seconds of some of the memory that is free (mm/page_reporting.c).
constexpr double time_to_rest = 12;

}  // namespace

void memory_in_use::take_what_is_at_hand() {
  constexpr int attempts = 3;
  for (int attempt = 0; attempt < attempts && !all_alike_; ++attempt) {
    // Much less memory than the machine has would have the kernel write out files sooner.
    if (attempt > 0 || huge_.bytes() + small_.bytes() > available_memory()) {
      release();
      sleep_interruptibly(time_to_rest);
    }
    if (reach_memory_at_rest()) return;
    all_alike_ = !comes_to_rest_;
  }
  release();
  all_alike_ = true;
}

bool memory_in_use::reach_memory_at_rest() {
  const double patience = comes_to_rest_ ? seconds_to_try : seconds_to_guess;
  if (!huge_.take_until_slow(patience) || !small_.take_until_slow(patience)) return false;
  comes_to_rest_ = true;
  return true;
}

}  // namespace freshet::tool
