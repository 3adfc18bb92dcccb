// The signals that end a command: SIGHUP, SIGINT, SIGTERM, SIGPIPE and SIGXFSZ. Long work checks for them, so that it
// can remove its files before the program ends.
#pragma once

#include <string>

namespace freshet::tool {

/// Thrown by throw_if_interrupted(). It is no std::exception, so that no handler on its way to main() treats it as a
/// failure.
struct interrupted {
  int signal = 0;
  std::string so_far = {};  ///< what the command had done by then, for people; empty: nothing to tell
  /// The exit code that shells expect of a program that a signal ended: 130 for SIGINT.
  [[nodiscard]] int exit_code() const noexcept { return 128 + signal; }
};

/// Makes these signals be noted instead of ending the process. A signal that is ignored stays ignored. If the user
/// sends another one, a quarter of a second or more after the first, it ends the process at once.
void note_interrupts();

/// The signal that was noted first; 0 if there was none.
[[nodiscard]] int noted_interrupt() noexcept;

/// Whether a write fails because of what this signal tells: a pipe has no reader, or a file is as large as it may be.
[[nodiscard]] bool explains_failed_writes(int signal) noexcept;

/// Why the signal ends the program, for people: "interrupted (SIGINT)".
[[nodiscard]] std::string describe_interrupt(int signal);

/// @throws interrupted  if a signal was noted
void throw_if_interrupted();

/// Sleeps, and wakes up within 20 ms of a signal. @throws interrupted
void sleep_interruptibly(double seconds);

}  // namespace freshet::tool
