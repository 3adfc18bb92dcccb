// How long each block of a file holds up the program, and how many bytes are moved when.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>

#include "src/base/block_observer.hpp"
#include "tool/measure/latency.hpp"
#include "tool/measure/rate_curve.hpp"

namespace freshet::tool {

/// Watches the blocks of freshet's files (see block_observer.hpp) in the threads that ask for it. A process may have
/// one at a time.
class block_watch {
 public:
  block_watch();
  block_watch(const block_watch&) = delete;
  block_watch& operator=(const block_watch&) = delete;
  ~block_watch();

  /// Watches the blocks of the thread that constructs it until it is destroyed.
  class of_this_thread {
   public:
    /// Precondition: `all` outlives it, and this thread has no other.
    explicit of_this_thread(block_watch& all);
    of_this_thread(const of_this_thread&) = delete;
    of_this_thread& operator=(const of_this_thread&) = delete;
    ~of_this_thread();

   private:
    friend class block_watch;

    void add(double begun, double ended, std::uint64_t bytes);

    block_watch& all_;
    // A map would cost more than everything else that is done for a block.
    std::array<std::uint64_t, latency_histogram::bucket_count> calls_{};
    rate_curve curve_;
    bool seen_ = false;
  };

  /// The blocks of the threads that are no longer watched. Seconds count from the construction of this object.
  [[nodiscard]] latency_histogram latencies() const;
  [[nodiscard]] rate_curve over_time() const;

 private:
  class switchboard;

  double start_;
  mutable std::mutex mutex_;
  latency_histogram latencies_;
  rate_curve over_time_;
  detail::block_observer* replaced_;
};

}  // namespace freshet::tool
