// Threads: the library's leave the program's signals to the program's own.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <cstdint>
#include <thread>
#include <utility>

namespace freshet::detail::os {

/// Blocks all signals of the calling thread, except those that report a fault of the thread itself: for these the
/// kernel would end the program instead of calling its handler. Returns what was blocked before. Inline, because
/// each_line, a library of its own, uses it.
inline ::sigset_t block_signals() noexcept {
  ::sigset_t blocked, before;
  ::sigfillset(&blocked);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) ::sigdelset(&blocked, fault);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  return before;
}

/// Starts a thread that runs `work` with the signals blocked that block_signals() blocks. @throws std::system_error
template <typename Work>
[[nodiscard]] std::thread start_thread(Work work) {
  // The new thread inherits what is blocked: no signal finds it before it could block any.
  struct restorer {
    ::sigset_t before = block_signals();
    ~restorer() { ::pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  } const blocked;
  return std::thread{std::move(work)};
}

/// How often the calling thread had to leave its processor to others (getrusage, RUSAGE_THREAD, Linux 2.6.26).
[[nodiscard]] std::uint64_t interruptions() noexcept;

}  // namespace freshet::detail::os
