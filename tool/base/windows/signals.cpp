// Ctrl-C, Ctrl-Break and the end of the console, which the C library passes on as signals. It notes each of them once:
// the second of a kind ends the process at once.
#include "tool/base/interrupt.hpp"

#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>

namespace freshet::tool {
namespace {

std::atomic<int> signal_seen = 0;

struct ending_signal {
  int number;
  const char* why;
};
constexpr std::array ending_signals{ending_signal{SIGINT, "interrupted (Ctrl-C)"},
                                    ending_signal{SIGBREAK, "interrupted (Ctrl-Break)"},
                                    ending_signal{SIGTERM, "terminated (SIGTERM)"}};

void note(int signal) {
  int none = 0;
  signal_seen.compare_exchange_strong(none, signal, std::memory_order_relaxed);
}

}  // namespace

void note_interrupts() {
  for (const ending_signal& each : ending_signals) ::signal(each.number, note);
}

int noted_interrupt() noexcept { return signal_seen.load(std::memory_order_relaxed); }

bool explains_failed_writes(int /*signal*/) noexcept { return false; }

std::string describe_interrupt(int signal) {
  const auto known = std::ranges::find(ending_signals, signal, &ending_signal::number);
  return known == ending_signals.end() ? "ended by signal " + std::to_string(signal) : known->why;
}

}  // namespace freshet::tool
