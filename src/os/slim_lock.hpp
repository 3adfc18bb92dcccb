// A mutex that needs nothing to be made or destroyed, as std::mutex is on Unix systems.
#pragma once

#include <mutex>
#include <type_traits>

#include <freshet/detail/native_handle.hpp>

namespace freshet::detail::os {

/// A slim reader/writer lock, used as a mutex. Only Windows has it.
class slim_lock {
 public:
  constexpr slim_lock() noexcept = default;
  slim_lock(const slim_lock&) = delete;
  slim_lock& operator=(const slim_lock&) = delete;
  ~slim_lock() = default;

  void lock() noexcept;
  void unlock() noexcept;

 private:
  void* lock_ = nullptr;
};

using static_mutex = std::conditional_t<std::is_pointer_v<native_handle_type>, slim_lock, std::mutex>;

}  // namespace freshet::detail::os
