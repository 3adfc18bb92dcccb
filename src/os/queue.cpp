#include "src/os/queue.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "src/os/file.hpp"
#include "src/os/fork.hpp"
#include "src/os/queue_kinds.hpp"
#include "src/os/system_call.hpp"

namespace freshet::detail::os {
namespace {

// The process's idle queues, kept because creating a queue takes as long as writing a small file.
class idle_queues {
 public:
  [[nodiscard]] bool is_ours() const noexcept { return generation_ == fork_generation(); }

  std::unique_ptr<queue> take(queue_kind kind, unsigned depth) {
    const std::lock_guard lock{mutex_};
    const auto match = std::ranges::find_if(
        idle_, [=](const idle_queue& idle) { return idle.kind == kind && idle.queue->depth() == depth; });
    if (match == idle_.end()) return nullptr;
    auto taken = std::move(match->queue);
    idle_.erase(match);
    return taken;
  }

  // Destroys the queue that was idle longest if there are too many.
  void put(queue_kind kind, std::unique_ptr<queue> returned) noexcept {
    std::unique_ptr<queue> superfluous;
    const std::lock_guard lock{mutex_};
    if (idle_.size() == most) {
      superfluous = std::move(idle_.front().queue);
      idle_.erase(idle_.begin());
    }
    idle_.push_back({kind, std::move(returned)});
  }

 private:
  struct idle_queue {
    queue_kind kind;
    std::unique_ptr<os::queue> queue;
  };
  static constexpr std::size_t most = 8;

  idle_queues() { idle_.reserve(most); }
  friend idle_queues& idle();

  const unsigned generation_ = fork_generation();
  std::mutex mutex_;
  std::vector<idle_queue> idle_;
};

// Never destroyed, because writers with static storage duration may be used until the program ends. The child of a fork
// ignores its parent's queues and starts with none: another thread may have held the lock during the fork, and nobody
// would ever unlock it.
idle_queues& idle() {
  static std::atomic<idle_queues*> instance{nullptr};
  idle_queues* existing = instance.load(std::memory_order_acquire);
  if (existing != nullptr && existing->is_ours()) return *existing;
  auto fresh = std::unique_ptr<idle_queues>{new idle_queues};
  if (instance.compare_exchange_strong(existing, fresh.get(), std::memory_order_acq_rel)) return *fresh.release();
  return *existing;
}

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

std::unique_ptr<queue> make_queue(queue_kind kind, unsigned depth, std::error_code& error) {
  error = ask_about(call::queue_setup);
  if (error) return nullptr;
  switch (kind) {
    case queue_kind::uring:
      return make_uring(depth, error);
    case queue_kind::libaio:
      return make_libaio(depth, error);
    case queue_kind::posix_aio:
      return make_posix_aio(depth, error);
  }
  error = std::make_error_code(std::errc::function_not_supported);
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
  return error.message();
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
  idle().put(kind_, std::move(queue_));
}

queue_lease queue_lease::take(queue_kind kind, unsigned depth, std::error_code& error) {
  error.clear();
  queue_lease lease;
  lease.kind_ = kind;
  lease.queue_ = idle().take(kind, depth);
  if (lease.queue_ == nullptr) lease.queue_ = make_queue(kind, depth, error);
  return lease;
}

void queue_lease::discard() noexcept { queue_.reset(); }

}  // namespace freshet::detail::os
