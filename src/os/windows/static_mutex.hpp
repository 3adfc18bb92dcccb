// A mutex that needs nothing to be made or destroyed.
#pragma once

namespace freshet::detail::os {

/// A slim reader/writer lock, used as a mutex: std::mutex of mingw-w64 is no constant.
class static_mutex {
 public:
  constexpr static_mutex() noexcept = default;
  static_mutex(const static_mutex&) = delete;
  static_mutex& operator=(const static_mutex&) = delete;
  ~static_mutex() = default;

  void lock() noexcept;
  void unlock() noexcept;

 private:
  void* lock_ = nullptr;
};

}  // namespace freshet::detail::os
