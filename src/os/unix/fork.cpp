#include "src/os/fork.hpp"

#include <pthread.h>

#include <mutex>

namespace freshet::detail::os {

constinit std::atomic<unsigned> fork_state::generation{0};
constinit std::atomic<unsigned> fork_state::count{0};

namespace {

// Both are held during a fork, the first one also while listeners are called: they may lock process mutexes, and so
// list them, but not begin or end subscriptions.
constinit static_mutex subscriptions;
constinit static_mutex process_mutexes;

constinit fork_subscription* first_subscription = nullptr;
constinit process_mutex* first_mutex = nullptr;

void count_fork() noexcept { fork_state::count.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

class fork_handlers {
 public:
  static void prepare() {
    subscriptions.lock();
    count_fork();
    for (fork_subscription* each = first_subscription; each != nullptr; each = each->next_)
      each->listener_.before_fork();
    process_mutexes.lock();
    for (process_mutex* each = first_mutex; each != nullptr; each = each->next_) each->mutex_.lock();
  }

  static void after_in_parent() {
    end_fork();
    subscriptions.unlock();
  }

  static void after_in_child() {
    fork_state::generation.fetch_add(1, std::memory_order_relaxed);
    end_fork();
    for (fork_subscription* each = first_subscription; each != nullptr; each = each->next_)
      each->listener_.after_fork_in_child();
    subscriptions.unlock();
  }

 private:
  // What another thread began between prepare() and the fork learns of it by the second count.
  static void end_fork() {
    count_fork();
    for (process_mutex* each = first_mutex; each != nullptr; each = each->next_) each->mutex_.unlock();
    process_mutexes.unlock();
  }
};

namespace {

// Registered when the program starts: the first use could be too late, during another thread's fork.
[[maybe_unused]] const int registered =
    ::pthread_atfork(fork_handlers::prepare, fork_handlers::after_in_parent, fork_handlers::after_in_child);

}  // namespace

void process_mutex::list() {
  const std::lock_guard lock{process_mutexes};
  if (is_listed_.load(std::memory_order_relaxed)) return;
  next_ = first_mutex;
  first_mutex = this;
  is_listed_.store(true, std::memory_order_release);
}

fork_subscription::fork_subscription(fork_listener& listener) : listener_{listener} {
  const std::lock_guard lock{subscriptions};
  next_ = first_subscription;  // NOLINT(cppcoreguidelines-prefer-member-initializer): needs the lock
  if (next_ != nullptr) next_->previous_ = this;
  first_subscription = this;
}

fork_subscription::~fork_subscription() {
  const std::lock_guard lock{subscriptions};
  (previous_ == nullptr ? first_subscription : previous_->next_) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
}

}  // namespace freshet::detail::os
