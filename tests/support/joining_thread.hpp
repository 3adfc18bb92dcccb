// A thread that ends before its object does: std::jthread, which libc++ has had since its version 18 only.
#pragma once

#include <thread>
#include <utility>

namespace freshet::test {

class joining_thread {
 public:
  template <class... Arguments>
  explicit joining_thread(Arguments&&... arguments) : thread_{std::forward<Arguments>(arguments)...} {}
  joining_thread(joining_thread&&) noexcept = default;
  joining_thread(const joining_thread&) = delete;
  ~joining_thread() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::thread thread_;
};

}  // namespace freshet::test
