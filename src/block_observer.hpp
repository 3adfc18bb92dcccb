// The place where a measurement stands between a program and its files: it learns how long each block held it up.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace freshet::detail {

/// Learns of blocks that change hands. What counts is what the program waits for: with a method that keeps blocks in
/// flight that is the wait for the next free one, or for one that is full, and not the transfer; of a mapped file it is
/// the mapping, and not the faults while its bytes are touched.
class block_observer {
 public:
  using time = std::chrono::steady_clock::time_point;

  block_observer() = default;
  block_observer(const block_observer&) = delete;
  block_observer& operator=(const block_observer&) = delete;
  virtual ~block_observer() = default;

  /// `bytes`, never none, were handed over to be written, or were given to be read, and held the program up from
  /// `begun` to `ended`: a full block, more at once that went without a copy, or at flush and close what was left, with
  /// the wait for all before it. What only makes bytes durable that were handed over earlier is not told. Runs on the
  /// thread that was held up, so on several at once.
  virtual void moved(time begun, time ended, std::uint64_t bytes) noexcept = 0;
};

inline std::atomic<block_observer*> current_block_observer{nullptr};

/// Has `replacement` (null: nobody) learn of all blocks of the process and returns who did until then.
inline block_observer* observe_blocks(block_observer* replacement) noexcept {
  return current_block_observer.exchange(replacement, std::memory_order_acq_rel);
}

/// A block on its way, from its making on. Reads no clock where nobody observes.
class block_under_way {
 public:
  block_under_way() noexcept : observer_{current_block_observer.load(std::memory_order_acquire)} {
    if (observer_ != nullptr) [[unlikely]]
      begun_ = std::chrono::steady_clock::now();
  }
  void arrived(std::uint64_t bytes) const noexcept {
    if (observer_ != nullptr && bytes != 0) [[unlikely]]
      observer_->moved(begun_, std::chrono::steady_clock::now(), bytes);
  }

 private:
  block_observer* observer_;
  block_observer::time begun_;
};

}  // namespace freshet::detail
