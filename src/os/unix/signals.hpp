// The signals of a thread on Unix systems.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace freshet::detail::os {

/// Blocks all signals of the calling thread, except those that report a fault of the thread itself: for these the
/// kernel would end the program instead of calling its handler. Returns what was blocked before. Inline, because
/// each_line, a library of its own, uses it.
inline ::sigset_t block_signals() noexcept {
  ::sigset_t blocked, before;
  sigfillset(&blocked);  // a macro on some systems, as the next one
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&blocked, fault);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  return before;
}

inline void restore_signals(const ::sigset_t& before) noexcept { ::pthread_sigmask(SIG_SETMASK, &before, nullptr); }

}  // namespace freshet::detail::os
