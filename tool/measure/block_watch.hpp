// How long the program is held up by each block that it hands over or is given, and how many bytes that are when.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "src/block_observer.hpp"
#include "tool/measure/latency.hpp"
#include "tool/measure/rate_curve.hpp"

namespace freshet::tool {

/// Watches the blocks of freshet's own files (block_observer.hpp says what counts) in the threads that ask for it. One
/// at a time watches a process.
class block_watch {
 public:
  block_watch();
  block_watch(const block_watch&) = delete;
  block_watch& operator=(const block_watch&) = delete;
  ~block_watch();

  /// As long as it lives, the blocks of the thread that made it are watched.
  class of_this_thread {
   public:
    /// Precondition: `all` outlives it, and this thread has no other.
    explicit of_this_thread(block_watch& all);
    of_this_thread(const of_this_thread&) = delete;
    of_this_thread& operator=(const of_this_thread&) = delete;
    ~of_this_thread();

   private:
    friend class block_watch;

    void add(detail::block_observer::time begun, detail::block_observer::time ended, std::uint64_t bytes);

    block_watch& all_;
    // A map would cost more than the rest of what is done for a block.
    std::array<std::uint64_t, latency_histogram::bucket_count> calls_{};
    rate_curve curve_;
    bool seen_ = false;
  };

  /// What was seen by threads that have ended to be watched; seconds count from the making of this.
  [[nodiscard]] latency_histogram latencies() const;
  [[nodiscard]] rate_curve over_time() const;

 private:
  class switchboard;

  detail::block_observer::time start_;
  mutable std::mutex mutex_;
  latency_histogram latencies_;
  rate_curve over_time_;
  detail::block_observer* replaced_;
};

}  // namespace freshet::tool
