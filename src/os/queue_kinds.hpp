// Shared by all kinds of queues, and the functions that make each kind.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

#include "src/os/file.hpp"
#include "src/os/interceptor.hpp"
#include "src/os/queue.hpp"

namespace freshet::detail::os {

/// Whether this build contains the library that the kind needs.
[[nodiscard]] bool has_uring() noexcept;
[[nodiscard]] bool has_libaio() noexcept;

/// Each makes a queue, or returns null and sets `error`.
[[nodiscard]] std::unique_ptr<queue> make_uring(unsigned depth, std::error_code& error);
[[nodiscard]] std::unique_ptr<queue> make_libaio(unsigned depth, std::error_code& error);
[[nodiscard]] std::unique_ptr<queue> make_posix_aio(unsigned depth, std::error_code& error);
[[nodiscard]] std::unique_ptr<queue> make_overlapped(unsigned depth, std::error_code& error);

/// Counts a write for submitted_writes().
void count_submitted_write() noexcept;

/// Writes and reads that the interceptor refused. They are never started; wait() returns them with its error.
class refused_transfers {
 public:
  explicit refused_transfers(unsigned depth) { ended_.reserve(depth); }

  /// Passes a write or read to the interceptor; returns the part of `bytes` to transfer, or nothing if it was refused.
  [[nodiscard]] std::optional<std::span<const std::byte>> ask(call kind, native_handle_type descriptor, unsigned tag,
                                                              std::span<const std::byte> bytes,
                                                              std::uint64_t offset) noexcept {
    intercepted_call next{kind, descriptor, offset, bytes.size()};
    if (const std::error_code error = ask_interceptor(next)) {
      ended_.push_back({tag, 0, error});
      return std::nullopt;
    }
    return bytes.first(next.length);
  }

  /// Removes and returns one of them.
  [[nodiscard]] std::optional<completion> take() noexcept {
    if (ended_.empty()) return std::nullopt;
    const completion ended = ended_.back();
    ended_.pop_back();
    return ended;
  }

 private:
  std::vector<completion> ended_;
};

/// A queue whose kind registers neither files nor memory and only writes.
class unregistered_queue : public queue {
 public:
  explicit unregistered_queue(unsigned depth) : refused_{depth}, depth_{depth} {}

  [[nodiscard]] unsigned depth() const noexcept final { return depth_; }
  void attach(const file& target) noexcept final { descriptor_ = target.descriptor(); }
  void detach() noexcept final { descriptor_ = no_native_handle; }
  void use_memory(unsigned /*tag*/, std::span<std::byte> /*memory*/) noexcept final {}

  void submit(unsigned tag, std::span<const std::byte> bytes, std::uint64_t offset,
              std::error_code& error) noexcept final {
    error.clear();
    if (const auto accepted = refused_.ask(call::submit_write, descriptor_, tag, bytes, offset))
      start(tag, *accepted, offset, error);
  }

 protected:
  virtual void start(unsigned tag, std::span<const std::byte> bytes, std::uint64_t offset,
                     std::error_code& error) noexcept = 0;

  refused_transfers refused_;
  native_handle_type descriptor_ = no_native_handle;

 private:
  unsigned depth_;
};

}  // namespace freshet::detail::os
