// The signals of interrupt.hpp, as the system sends them.
#include "tool/base/interrupt.hpp"

#include <signal.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>

namespace freshet::tool {
namespace {

std::atomic<int> signal_seen = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler must not wait for a lock");

std::atomic<std::int64_t> first_sent = 0;  // milliseconds
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

struct ending_signal {
  int number;
  const char* why;
  bool sent_by_users;  // the system sends the others, and may do so many times
};
constexpr std::array ending_signals{
    ending_signal{SIGHUP, "the terminal is gone (SIGHUP)", true}, ending_signal{SIGINT, "interrupted (SIGINT)", true},
    ending_signal{SIGTERM, "terminated (SIGTERM)", true},
    ending_signal{SIGPIPE, "nobody reads the output any more (SIGPIPE)", false},
    ending_signal{SIGXFSZ, "a file would be larger than ulimit -f allows (SIGXFSZ)", false}};

std::int64_t milliseconds_now() noexcept {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void note(int signal) {
  int none = 0;
  signal_seen.compare_exchange_strong(none, signal, std::memory_order_relaxed);
}

// timeout(1) and terminals that close send the same signal twice at once, which must not keep files from being removed.
void note_from_user(int signal) {
  constexpr std::int64_t least_distance = 250;
  const int reason = errno;
  std::int64_t first = 0;
  const std::int64_t now = milliseconds_now();
  if (!first_sent.compare_exchange_strong(first, now) && now - first >= least_distance) {
    ::signal(signal, SIG_DFL);
    raise(signal);  // takes effect when this function returns
  }
  note(signal);
  errno = reason;
}

}  // namespace

void note_interrupts() {
  for (const ending_signal& each : ending_signals) {
    struct sigaction before = {};
    // A shell starts background jobs with SIGINT ignored, because Ctrl-C is then meant for another program.
    if (sigaction(each.number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    struct sigaction action = {};
    action.sa_handler = each.sent_by_users ? note_from_user : note;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(each.number, &action, nullptr);
  }
}

int noted_interrupt() noexcept { return signal_seen.load(std::memory_order_relaxed); }

bool explains_failed_writes(int signal) noexcept { return signal == SIGPIPE || signal == SIGXFSZ; }

std::string describe_interrupt(int signal) {
  const auto known = std::ranges::find(ending_signals, signal, &ending_signal::number);
  return known == ending_signals.end() ? "ended by signal " + std::to_string(signal) : known->why;
}

}  // namespace freshet::tool
