// Runs a command while memory that the host backs is held, so that its files and buffers get other memory: as slow as
// after some idle seconds of the whole machine. Prints seconds and the processor's seconds of the command.
//   bench_at_rest COMMAND WORD…
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdio>

#include "bench/trial_words.hpp"

extern char** environ;

int main(int count, char** words) {
  if (count < 2) return std::fputs("usage: bench_at_rest COMMAND WORD...\n", stderr), 2;
  const freshet::bench::backed_memory held{true};
  const auto begin = std::chrono::steady_clock::now();
  pid_t child = 0;
  int status = 0;
  struct rusage used {};
  if (::posix_spawnp(&child, words[1], nullptr, nullptr, words + 1, environ) != 0) return std::perror(words[1]), 1;
  if (::wait4(child, &status, 0, &used) != child || status != 0) return std::fputs("the command failed\n", stderr), 1;
  const double seconds = std::chrono::duration<double>{std::chrono::steady_clock::now() - begin}.count();
  const auto in_seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  std::printf("%.3f %.3f\n", seconds, in_seconds(used.ru_utime) + in_seconds(used.ru_stime));
}
