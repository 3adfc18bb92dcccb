// The same work on several files at once.
#pragma once

#include <cstddef>
#include <exception>
#include <filesystem>
#include <latch>
#include <span>
#include <thread>
#include <type_traits>
#include <vector>

namespace freshet::tool {

/// Does `work` on each file, all at once, a thread each; on a single one without a thread. `started` is called when all
/// are ready. Returns what each came to. @throws the first of what they throw, when all have ended
template <typename Work, typename Start>
auto work_at_once(std::span<const std::filesystem::path> files, Work work, Start started) {
  std::vector<std::invoke_result_t<Work, const std::filesystem::path&>> results(files.size());
  if (files.size() == 1) {
    started();
    results.front() = work(files.front());
    return results;
  }
  std::vector<std::exception_ptr> failures(files.size());
  std::latch ready{static_cast<std::ptrdiff_t>(files.size())};
  std::latch go{1};
  std::vector<std::jthread> threads;
  for (std::size_t job = 0; job < files.size(); ++job)
    threads.emplace_back([&, job] {
      ready.count_down();
      go.wait();
      try {
        results[job] = work(files[job]);
      } catch (...) {
        failures[job] = std::current_exception();
      }
    });
  ready.wait();
  started();
  go.count_down();
  threads.clear();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  return results;
}

}  // namespace freshet::tool
