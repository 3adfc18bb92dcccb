// The same work many times, in as many processes as there are processors.
#pragma once

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <new>
#include <span>
#include <thread>
#include <type_traits>
#include <vector>

namespace freshet::test {

/// Calls `work(index, process)` for each index below `count`, in processes numbered from 0; returns the results, which
/// a process that ended early leaves as they are by default.
template <class Result, class Work>
[[nodiscard]] std::vector<Result> in_processes(std::size_t count, Work work) {
  static_assert(std::is_trivially_copyable_v<Result>, "processes share it");
  const std::size_t length = sizeof(std::atomic<std::size_t>) + alignof(Result) + count * sizeof(Result);
  void* const memory = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc{};
  auto& next = *new (memory) std::atomic<std::size_t>{0};
  void* const behind = static_cast<std::byte*>(memory) + std::max(sizeof next, alignof(Result));
  const std::span results{new (behind) Result[count]{}, count};
  std::vector<pid_t> processes;
  for (unsigned number = 0; number < std::max(1U, std::thread::hardware_concurrency()); ++number) {
    processes.push_back(::fork());
    if (processes.back() != 0) continue;
    // What goes wrong must not go on as the test's process.
    try {
      for (std::size_t index = next++; index < count; index = next++) results[index] = work(index, number);
    } catch (const std::exception& failure) {
      std::fprintf(stderr, "%s\n", failure.what());
    }
    ::_exit(0);
  }
  for (const pid_t each : processes) ::waitpid(each, nullptr, 0);
  std::vector<Result> copied{results.begin(), results.end()};
  ::munmap(memory, length);
  return copied;
}

}  // namespace freshet::test
