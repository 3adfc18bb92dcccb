#include "tool/base/interrupt.hpp"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace freshet::tool {
namespace {

std::atomic<int> signal_seen = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler must not wait for a lock");

void note(int signal) { signal_seen.store(signal, std::memory_order_relaxed); }

}  // namespace

void note_interrupts() {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction before = {};
    // A shell starts background jobs with SIGINT ignored: it is meant for somebody else then.
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    struct sigaction action = {};
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
}

void throw_if_interrupted() {
  const int signal = signal_seen.load(std::memory_order_relaxed);
  if (signal != 0) [[unlikely]]
    throw interrupted{signal};
}

void sleep_interruptibly(double seconds) {
  using clock = std::chrono::steady_clock;
  const auto end = clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>{seconds});
  throw_if_interrupted();
  for (auto now = clock::now(); now < end; now = clock::now()) {
    std::this_thread::sleep_for(std::min<clock::duration>(end - now, std::chrono::milliseconds{20}));
    throw_if_interrupted();
  }
}

}  // namespace freshet::tool
