// Lets a measurement learn how long each block held up the program.
#pragma once

#include <atomic>
#include <cstdint>

namespace freshet::detail {

/// Is told about every block that is exchanged. It learns how long the program waited: for a method that keeps blocks
/// in flight, that is the wait for the next free or full block and not the transfer; for a mapped file, it is the
/// mapping and not the page faults.
class block_observer {
 public:
  block_observer() = default;
  block_observer(const block_observer&) = delete;
  block_observer& operator=(const block_observer&) = delete;
  virtual ~block_observer() = default;

  /// `bytes`, at least one, were written or read, and held up the program from `begin` to `end`, in seconds of
  /// steady_seconds(). They are a full block, more than a block without a copy, or what was left at flush and close,
  /// including the wait for earlier blocks. Calls that only make earlier bytes durable are not reported. Runs on the
  /// thread that was held up, so several threads may call it at once.
  virtual void moved(double begin, double end, std::uint64_t bytes) noexcept = 0;
};

inline std::atomic<block_observer*> current_block_observer{nullptr};

/// Makes `replacement` (or none, if null) the observer of all blocks of the process; returns the previous one.
inline block_observer* observe_blocks(block_observer* replacement) noexcept {
  return current_block_observer.exchange(replacement, std::memory_order_acq_rel);
}

}  // namespace freshet::detail
