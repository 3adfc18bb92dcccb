// A mutex that needs nothing to be made or destroyed, as std::mutex is where the standard library can do so.
#pragma once

#include <pthread.h>

#include <mutex>
#include <type_traits>

namespace freshet::detail::os {

/// For libc++, whose std::mutex would be destroyed at the program's end, before the last file is closed.
class lasting_mutex {
 public:
  constexpr lasting_mutex() noexcept = default;
  lasting_mutex(const lasting_mutex&) = delete;
  lasting_mutex& operator=(const lasting_mutex&) = delete;
  ~lasting_mutex() = default;

  // Neither fails for a mutex of the default kind that the calling thread does not hold, or holds.
  void lock() noexcept { static_cast<void>(::pthread_mutex_lock(&mutex_)); }
  void unlock() noexcept { static_cast<void>(::pthread_mutex_unlock(&mutex_)); }

 private:
  ::pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

using static_mutex = std::conditional_t<std::is_trivially_destructible_v<std::mutex>, std::mutex, lasting_mutex>;

}  // namespace freshet::detail::os
