// The seam's other half: queues of writes that the kernel works on while the program goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <system_error>

namespace freshet::detail::os {

class file;

/// How one write or read ended.
struct completion {
  unsigned tag = 0;             ///< as given to submit()
  std::size_t transferred = 0;  ///< bytes, maybe fewer than asked for
  std::error_code error;
};

/// Up to depth() writes or reads in flight at once. Used by one thread at a time.
class queue {
 public:
  queue() = default;
  queue(const queue&) = delete;
  queue& operator=(const queue&) = delete;
  virtual ~queue() = default;

  [[nodiscard]] virtual unsigned depth() const noexcept = 0;

  /// Makes `target` the file of all further writes and reads until detach(); registers it with the kernel where that
  /// helps.
  virtual void attach(const file& target) noexcept = 0;
  /// Forgets file and memory. Precondition: nothing is in flight.
  virtual void detach() noexcept = 0;
  /// Makes `memory` known under the slot `tag` (0 … depth()-1), so that transfers out of it and into it need not look
  /// its pages up each time; where the kernel refuses (RLIMIT_MEMLOCK) they work as before. Forgotten by detach().
  virtual void use_memory(unsigned tag, std::span<std::byte> memory) noexcept = 0;

  /// Starts writing `bytes` at `offset`; `tag` (0 … depth()-1, none twice in flight) names it in its completion.
  /// `bytes` must stay as they are until then. An error means that it was not started.
  virtual void submit(unsigned tag, std::span<const std::byte> bytes, std::uint64_t offset,
                      std::error_code& error) noexcept = 0;

  /// The same for reading into `bytes`, which must not be touched until then. function_not_supported where the kind
  /// only writes: io_uring reads, too.
  virtual void submit_read(unsigned tag, std::span<std::byte> bytes, std::uint64_t offset,
                           std::error_code& error) noexcept;

  /// Waits, without spinning, until a write or read ends. Precondition: one is in flight. `error` means that waiting
  /// itself failed.
  virtual completion wait(std::error_code& error) noexcept = 0;

  /// Whether this process made it; the child of a fork must not touch its parent's.
  [[nodiscard]] bool is_ours() const noexcept;

 private:
  unsigned generation_ = current_generation();
  static unsigned current_generation() noexcept;
};

enum class queue_kind : std::uint8_t { uring, libaio, posix_aio };

/// Makes a queue; null with `error` set where kernel, limits or build do not allow it (function_not_supported: this
/// build does not have it).
[[nodiscard]] std::unique_ptr<queue> make_queue(queue_kind kind, unsigned depth, std::error_code& error);

/// Writes that this process has given to queues of the kernel since it began (io_uring, libaio). The kernel's own count
/// of a process's write calls leaves them out.
[[nodiscard]] std::uint64_t submitted_writes() noexcept;

/// Why make_queue() fails here, in words, from what it said.
[[nodiscard]] std::string explain_missing_queue(queue_kind kind, std::error_code error);

/// A queue out of the process's idle ones, or a new one; goes back to them in the end.
class queue_lease {
 public:
  queue_lease() noexcept = default;
  queue_lease(queue_lease&& other) noexcept;
  queue_lease& operator=(queue_lease&& other) noexcept;
  queue_lease(const queue_lease&) = delete;
  queue_lease& operator=(const queue_lease&) = delete;
  ~queue_lease();

  [[nodiscard]] static queue_lease take(queue_kind kind, unsigned depth, std::error_code& error);

  explicit operator bool() const noexcept { return queue_ != nullptr; }
  queue* operator->() const noexcept { return queue_.get(); }
  /// Destroys the queue instead of keeping it: it holds transfers whose end nobody will see.
  void discard() noexcept;

 private:
  std::unique_ptr<queue> queue_;
  queue_kind kind_{};
};

}  // namespace freshet::detail::os
