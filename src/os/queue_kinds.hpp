// What the queues of every kind share, and where each kind is made.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

#include "src/os/interceptor.hpp"
#include "src/os/queue.hpp"

namespace freshet::detail::os {

/// Whether this build has the kind's library.
[[nodiscard]] bool has_uring() noexcept;
[[nodiscard]] bool has_libaio() noexcept;

/// Each makes one, or null with `error` set.
[[nodiscard]] std::unique_ptr<queue> make_uring(unsigned depth, std::error_code& error);
[[nodiscard]] std::unique_ptr<queue> make_libaio(unsigned depth, std::error_code& error);
[[nodiscard]] std::unique_ptr<queue> make_posix_aio(unsigned depth, std::error_code& error);

/// A queue of the kernel took one: counts it for submitted_writes().
void count_submitted_write() noexcept;

/// Writes and reads that the interceptor refused: they are never started, and end with its error when wait() asks.
class refused_transfers {
 public:
  explicit refused_transfers(unsigned depth) { ended_.reserve(depth); }

  /// Asks about a write or read; returns what is left of `bytes` to move, or nothing when it was refused.
  [[nodiscard]] std::optional<std::span<const std::byte>> ask(call kind, int descriptor, unsigned tag,
                                                              std::span<const std::byte> bytes,
                                                              std::uint64_t offset) noexcept {
    intercepted_call next{kind, descriptor, offset, bytes.size()};
    if (const std::error_code error = ask_interceptor(next)) {
      ended_.push_back({tag, 0, error});
      return std::nullopt;
    }
    return bytes.first(next.length);
  }

  /// Takes out one that ended.
  [[nodiscard]] std::optional<completion> take() noexcept {
    if (ended_.empty()) return std::nullopt;
    const completion ended = ended_.back();
    ended_.pop_back();
    return ended;
  }

 private:
  std::vector<completion> ended_;
};

}  // namespace freshet::detail::os
