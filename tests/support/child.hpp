// Work in a child process.
#pragma once

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

namespace freshet::test {

/// Forks and runs `work` in the child; returns whether it returned true there.
template <class Work>
[[nodiscard]] bool true_in_child(Work work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work() ? 0 : 1);
  int status = -1;
  return ::waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace freshet::test
