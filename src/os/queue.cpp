#include "src/os/queue.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "src/os/file.hpp"
#include "src/os/fork.hpp"
#include "src/os/message.hpp"
#include "src/os/queue_kinds.hpp"

namespace freshet::detail::os {
namespace {

// The process's idle queues, kept because creating a queue takes as long as writing a small file. The child of a fork
// starts with none: its parent's belong to the parent.
class idle_queues {
 public:
  std::unique_ptr<queue> take(queue_kind kind, unsigned depth) noexcept {
    const std::lock_guard lock{mutex_};
    leave_to_parent();
    const std::span idle{idle_.data(), count_};
    const auto match = std::ranges::find_if(
        idle, [=](const idle_queue& each) { return each.kind == kind && each.queue->depth() == depth; });
    return match == idle.end() ? nullptr : remove(static_cast<std::size_t>(match - idle.begin()));
  }

  // Destroys the queue that was idle longest if there are too many.
  void put(queue_kind kind, std::unique_ptr<queue> returned) noexcept {
    std::unique_ptr<queue> superfluous;
    const std::lock_guard lock{mutex_};
    leave_to_parent();
    if (count_ == idle_.size()) superfluous = remove(0);
    idle_[count_++] = {kind, returned.release()};
  }

  void clear() noexcept {
    const std::lock_guard lock{mutex_};
    leave_to_parent();
    while (count_ != 0) remove(count_ - 1);
  }

 private:
  struct idle_queue {
    queue_kind kind;
    os::queue* queue;  // owned
  };

  void leave_to_parent() noexcept {
    if (std::exchange(generation_, fork_generation()) != generation_) count_ = 0;
  }
  std::unique_ptr<queue> remove(std::size_t at) noexcept {
    std::unique_ptr<queue> removed{idle_[at].queue};
    std::shift_left(idle_.begin() + static_cast<std::ptrdiff_t>(at),
                    idle_.begin() + static_cast<std::ptrdiff_t>(count_), 1);
    --count_;
    return removed;
  }

  process_mutex mutex_;
  unsigned generation_ = 0;
  std::array<idle_queue, 8> idle_{};  // the one that was idle longest is the first
  std::size_t count_ = 0;
};

// Constant, and with nothing to destroy: writers with static storage duration may be used from the program's beginning
// to its end.
constinit idle_queues idle;
static_assert(std::is_trivially_destructible_v<idle_queues>);

// A plugin with this library in it may be unloaded, and loaded again. Queues that come back later than this stay.
struct unloading {
  ~unloading() { idle.clear(); }
};
[[maybe_unused]] const unloading end_of_library;

std::atomic<std::uint64_t> submitted = 0;

}  // namespace

std::uint64_t submitted_writes() noexcept { return submitted.load(std::memory_order_relaxed); }

void count_submitted_write() noexcept { submitted.fetch_add(1, std::memory_order_relaxed); }

bool queue::is_ours() const noexcept { return generation_ == fork_generation(); }

void queue::submit_read(unsigned /*tag*/, std::span<std::byte> /*bytes*/, std::uint64_t /*offset*/,
                        std::error_code& error) noexcept {
  error = std::make_error_code(std::errc::function_not_supported);
}

unsigned queue::current_generation() noexcept { return fork_generation(); }

std::unique_ptr<queue> make_queue(queue_kind kind, unsigned depth, std::error_code& error) noexcept try {
  intercepted_call setup{call::queue_setup, no_native_handle, 0, 0};
  error = ask_interceptor(setup);
  if (error) return nullptr;
  switch (kind) {
    case queue_kind::uring:
      return make_uring(depth, error);
    case queue_kind::libaio:
      return make_libaio(depth, error);
    case queue_kind::posix_aio:
      return make_posix_aio(depth, error);
    case queue_kind::overlapped:
      return make_overlapped(depth, error);
  }
  error = std::make_error_code(std::errc::function_not_supported);
  return nullptr;
} catch (const std::bad_alloc&) {
  error = std::make_error_code(std::errc::not_enough_memory);
  return nullptr;
}

std::string explain_missing_queue(queue_kind kind, std::error_code error) {
  if (kind == queue_kind::uring) {
    if (!has_uring()) return "this build of freshet has no io_uring (liburing was missing)";
    if (error == std::errc::function_not_supported) return "the kernel has no io_uring";
    if (error == std::errc::operation_not_permitted)
      return "io_uring is not allowed here (kernel.io_uring_disabled, or a container's seccomp filter)";
    if (error == std::errc::not_enough_memory)
      return "io_uring gets no memory: the limit on locked memory (ulimit -l) is too low";
  }
  if (kind == queue_kind::libaio) {
    if (!has_libaio()) return "this build of freshet has no libaio (the library was missing)";
    if (error == std::errc::function_not_supported) return "the kernel has no aio (CONFIG_AIO)";
    if (error == std::errc::resource_unavailable_try_again) return "the system has no aio left (fs.aio-max-nr)";
  }
  if (kind == queue_kind::posix_aio && error == std::errc::function_not_supported)
    return "the C library's threads for aio did not survive a fork";
  return message_of(error);
}

queue_lease::queue_lease(queue_lease&& other) noexcept : queue_{std::move(other.queue_)}, kind_{other.kind_} {}

queue_lease& queue_lease::operator=(queue_lease&& other) noexcept {
  queue_lease taken{std::move(other)};
  std::swap(queue_, taken.queue_);
  std::swap(kind_, taken.kind_);
  return *this;
}

queue_lease::~queue_lease() {
  if (queue_ == nullptr || !queue_->is_ours()) return;
  queue_->detach();
  idle.put(kind_, std::move(queue_));
}

queue_lease queue_lease::take(queue_kind kind, unsigned depth, std::error_code& error) noexcept {
  error.clear();
  queue_lease lease;
  lease.kind_ = kind;
  lease.queue_ = idle.take(kind, depth);
  if (lease.queue_ == nullptr) lease.queue_ = make_queue(kind, depth, error);
  return lease;
}

void queue_lease::discard() noexcept { queue_.reset(); }

}  // namespace freshet::detail::os
