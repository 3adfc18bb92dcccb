// Compresses frames of zstd on several threads, in order.
#pragma once

#include <zstd.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "src/base/pool.hpp"
#include "src/os/fork.hpp"

namespace freshet::detail {

/// Why libzstd refused something.
struct zstd_failure {
  std::error_code code;     ///< not_enough_memory, or bad_message
  std::string_view detail;  ///< lives as long as the program
};
/// Precondition: ZSTD_isError(result).
[[nodiscard]] zstd_failure failure_of(std::size_t result) noexcept;

/// Makes a frame with a checksum of a piece of memory.
class zstd_compressor {
 public:
  explicit zstd_compressor(int level) noexcept : level_{level} {}

  /// The most bytes that a frame with `length` bytes may have.
  [[nodiscard]] static std::size_t bound(std::size_t length) noexcept;
  /// Compresses `plain` into `frame`, which has bound() bytes; returns the length of the frame, which is marked as one
  /// of a file (zstd_format::mark()).
  [[nodiscard]] std::size_t compress(std::span<const std::byte> plain, std::span<std::byte> frame,
                                     zstd_failure& failure) noexcept;
  /// The same without the mark.
  [[nodiscard]] std::size_t compress_unmarked(std::span<const std::byte> plain, std::span<std::byte> frame,
                                              zstd_failure& failure) noexcept;

 private:
  struct deleter {
    void operator()(ZSTD_CCtx* context) const noexcept { ZSTD_freeCCtx(context); }
  };
  int level_;
  std::unique_ptr<ZSTD_CCtx, deleter> context_;  // made by the first call
};

/// A piece of the plain bytes, and its frame.
struct zstd_job {
  block plain;
  std::size_t filled = 0;  // of plain
  std::vector<std::byte> frame;
  std::size_t length = 0;  // of the frame in it
  zstd_failure failure;
};

/// Frames that are compressed while the program goes on. The threads start when they are needed. In the child of a fork
/// there are no threads: jobs that are in flight there are never finished, and must not be waited for.
class zstd_frames {
 public:
  zstd_frames(int level, unsigned threads) : state_{std::make_unique<state>(level)}, most_threads_{threads} {}
  zstd_frames(const zstd_frames&) = delete;
  zstd_frames& operator=(const zstd_frames&) = delete;
  ~zstd_frames();

  /// Whether this process started the threads.
  [[nodiscard]] bool is_ours() const noexcept { return generation_ == os::fork_generation(); }
  [[nodiscard]] std::size_t in_flight() const noexcept { return jobs_.size(); }

  /// Takes a piece. A thread compresses it if `beside` the program; otherwise, and where no thread can be started, the
  /// one that takes the result does. @throws std::bad_alloc
  void push(block plain, std::size_t filled, bool beside);
  /// Whether the oldest piece is compressed. Precondition: in_flight() > 0.
  [[nodiscard]] bool is_next_ready();
  /// Waits until the oldest piece is compressed, and returns it until it is given back. Precondition: in_flight() > 0.
  [[nodiscard]] std::unique_ptr<zstd_job> take_next() noexcept;
  /// Keeps the memory of `used` for later pieces.
  void give_back(std::unique_ptr<zstd_job> used) noexcept { spare_.push_back(std::move(used)); }

 private:
  // What the threads use: it is left behind where they do not exist.
  struct state {
    explicit state(int compression_level) : level{compression_level}, own{compression_level} {}
    int level;
    zstd_compressor own;  // of the thread that takes results
    std::mutex mutex;
    std::condition_variable has_work;
    std::condition_variable has_result;
    std::deque<zstd_job*> waiting;
    std::vector<const zstd_job*> done;
    unsigned idle = 0;
    bool ends = false;
    std::vector<std::thread> threads;
  };
  static void work(state& shared) noexcept;
  void start_thread() noexcept;

  std::unique_ptr<state> state_;
  std::deque<std::unique_ptr<zstd_job>> jobs_;  // in order
  std::vector<std::unique_ptr<zstd_job>> spare_;
  unsigned most_threads_;
  unsigned generation_ = os::fork_generation();
};

}  // namespace freshet::detail
