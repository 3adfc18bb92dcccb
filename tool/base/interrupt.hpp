// Ctrl-C and SIGTERM: a wish to stop, seen by whoever does long work, so that it can put away what it made.
#pragma once

namespace freshet::tool {

/// Thrown by throw_if_interrupted(). No std::exception, so that nobody takes it for a failure on its way to main().
struct interrupted {
  int signal = 0;  ///< SIGINT or SIGTERM
  /// What a shell expects of a program that ended so: 130, 143.
  [[nodiscard]] int exit_code() const noexcept { return 128 + signal; }
};

/// From now on SIGINT and SIGTERM are noted instead of ending the process. A signal that is ignored stays ignored.
void note_interrupts();

/// @throws interrupted  once a signal has come
void throw_if_interrupted();

/// Sleeps, at most 20 ms beyond a signal. @throws interrupted
void sleep_interruptibly(double seconds);

}  // namespace freshet::tool
