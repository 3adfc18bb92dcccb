// The asynchronous half of the seam: queues of transfers that proceed while the program continues.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <system_error>

namespace freshet::detail::os {

class file;

/// The result of one write or read.
struct completion {
  unsigned tag = 0;             ///< as given to submit()
  std::size_t transferred = 0;  ///< bytes, which may be fewer than requested
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

  /// Makes `target` the file of all writes and reads until detach(), and registers it with the kernel if possible.
  virtual void attach(const file& target) noexcept = 0;
  /// Unregisters the file and its memory. Precondition: nothing is in flight.
  virtual void detach() noexcept = 0;
  /// Registers `memory` in the slot `tag` (0 … depth()-1), so that the kernel need not look up its pages for each
  /// transfer. If the kernel refuses (RLIMIT_MEMLOCK), transfers work without. detach() unregisters it.
  virtual void use_memory(unsigned tag, std::span<std::byte> memory) noexcept = 0;

  /// Starts writing `bytes` at `offset`. Its completion has the same `tag` (0 … depth()-1, each in flight at most
  /// once); until then `bytes` must not change. After an error the write was not started.
  virtual void submit(unsigned tag, std::span<const std::byte> bytes, std::uint64_t offset,
                      std::error_code& error) noexcept = 0;

  /// Starts reading into `bytes`, which must not be accessed until the completion. function_not_supported for all kinds
  /// but io_uring and overlapped.
  virtual void submit_read(unsigned tag, std::span<std::byte> bytes, std::uint64_t offset,
                           std::error_code& error) noexcept;

  /// Waits, without spinning, until a write or read ends. `error` means that waiting itself failed. Precondition: one
  /// is in flight.
  virtual completion wait(std::error_code& error) noexcept = 0;

  /// Whether this process made the queue; the child of a fork must not use its parent's.
  [[nodiscard]] bool is_ours() const noexcept;

 private:
  unsigned generation_ = current_generation();
  static unsigned current_generation() noexcept;
};

enum class queue_kind : std::uint8_t { uring, libaio, posix_aio, overlapped };

/// Makes a queue; null with `error` set if the kernel, a limit or this build does not allow it (function_not_supported:
/// this build does not contain it).
[[nodiscard]] std::unique_ptr<queue> make_queue(queue_kind kind, unsigned depth, std::error_code& error) noexcept;

/// Writes that this process has submitted to queues of the kernel (io_uring, libaio). The kernel's own count of a
/// process's write calls does not include them.
[[nodiscard]] std::uint64_t submitted_writes() noexcept;

/// Explains why make_queue() failed with `error`.
[[nodiscard]] std::string explain_missing_queue(queue_kind kind, std::error_code error);

/// Holds one of the process's idle queues, or a new one, and returns it to the idle queues in the end.
class queue_lease {
 public:
  queue_lease() noexcept = default;
  queue_lease(queue_lease&& other) noexcept;
  queue_lease& operator=(queue_lease&& other) noexcept;
  queue_lease(const queue_lease&) = delete;
  queue_lease& operator=(const queue_lease&) = delete;
  ~queue_lease();

  [[nodiscard]] static queue_lease take(queue_kind kind, unsigned depth, std::error_code& error) noexcept;

  explicit operator bool() const noexcept { return queue_ != nullptr; }
  queue* operator->() const noexcept { return queue_.get(); }
  /// Destroys the queue instead of returning it, because it has transfers that nobody will wait for.
  void discard() noexcept;

 private:
  std::unique_ptr<queue> queue_;
  queue_kind kind_{};
};

}  // namespace freshet::detail::os
