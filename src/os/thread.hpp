// Threads: the library's leave the program's signals to the program's own.
#pragma once

#include <thread>
#include <utility>

#ifdef _WIN32
#include "src/os/windows/signals.hpp"
#else
#include "src/os/unix/signals.hpp"
#endif

namespace freshet::detail::os {

/// Starts a thread that runs `work` with the signals blocked that block_signals() blocks. @throws std::system_error
template <typename Work>
[[nodiscard]] std::thread start_thread(Work work) {
  // The new thread inherits what is blocked: no signal finds it before it could block any.
  struct restorer {
    decltype(block_signals()) before = block_signals();
    ~restorer() { restore_signals(before); }
  } const blocked;
  return std::thread{std::move(work)};
}

}  // namespace freshet::detail::os
