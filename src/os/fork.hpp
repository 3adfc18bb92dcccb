// What the library does around fork(): it knows of each fork, and no lock of the library stays locked in a child.
// fork() in a signal handler is not supported, as by POSIX; vfork(), posix_spawn() and _Fork() are not noticed.
#pragma once

#include <atomic>

#include "src/os/static_mutex.hpp"

namespace freshet::detail::os {

namespace fork_state {
extern std::atomic<unsigned> generation;
extern std::atomic<unsigned> count;
}  // namespace fork_state

/// A number that is one higher in the child of every fork. Resources of another generation belong to another process.
[[nodiscard]] inline unsigned fork_generation() noexcept {
  return fork_state::generation.load(std::memory_order_relaxed);
}

/// A number that differs after every fork from all before it, in the forking process and in the child alike. It has
/// changed when fork_listener::before_fork() is called, and changes again until fork() returns.
[[nodiscard]] inline unsigned fork_count() noexcept { return fork_state::count.load(std::memory_order_relaxed); }

/// A mutex of the whole process that the child of a fork never finds locked, nor what it guards half changed: a fork
/// waits until no thread holds it. Precondition: whoever holds it locks no other and does not fork.
class process_mutex {
 public:
  constexpr process_mutex() noexcept = default;
  process_mutex(const process_mutex&) = delete;
  process_mutex& operator=(const process_mutex&) = delete;

  void lock() {
    if (!is_listed_.load(std::memory_order_acquire)) list();
    mutex_.lock();
  }
  void unlock() { mutex_.unlock(); }

 private:
  friend class fork_handlers;
  void list();

  static_mutex mutex_;
  std::atomic<bool> is_listed_{false};
  process_mutex* next_ = nullptr;
};

/// What is called at each fork while a fork_subscription to it exists. Its functions may use files, but must not fork,
/// begin or end a subscription, or take a lock whose holder may be doing so.
class fork_listener {
 public:
  fork_listener() = default;
  fork_listener(const fork_listener&) = delete;
  fork_listener& operator=(const fork_listener&) = delete;

  /// Called in the forking process, on the thread that forks, before the child exists. Other threads may use the
  /// object meanwhile.
  virtual void before_fork() noexcept = 0;
  /// Called in the child, on its only thread, before fork() returns.
  virtual void after_fork_in_child() noexcept = 0;

 protected:
  ~fork_listener() = default;
};

/// Subscribes its listener to forks as long as it lives; to begin and to end costs a lock each. As the last member of
/// its listener it never calls what is not yet, or no longer, a whole object.
class fork_subscription {
 public:
  explicit fork_subscription(fork_listener& listener);
  fork_subscription(const fork_subscription&) = delete;
  fork_subscription& operator=(const fork_subscription&) = delete;
  ~fork_subscription();

 private:
  friend class fork_handlers;
  fork_listener& listener_;
  fork_subscription* previous_ = nullptr;
  fork_subscription* next_ = nullptr;
};

}  // namespace freshet::detail::os
