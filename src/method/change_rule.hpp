// When an adaptive file goes on by another way: the decisions alone, without a clock, a file or a device, so that tests
// can run them over simulated machines. doc/decisions/0032-write-behind.md has the reason for every figure.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "src/method/change_reason.hpp"

namespace freshet::detail {

/// The last few of some measurements, of which the median counts: one call that was interrupted says nothing.
class last_few {
 public:
  void add(double value) noexcept { values_.at(count_++ % values_.size()) = value; }
  void clear() noexcept { count_ = 0; }
  [[nodiscard]] std::size_t size() const noexcept { return std::min(count_, values_.size()); }
  /// 0 without any.
  [[nodiscard]] double median() const noexcept;

 private:
  std::array<double, 8> values_{};
  std::size_t count_ = 0;
};

/// Decides for one file that can go on by either of two ways. One is through the page cache, which is fast or slow by
/// the memory that it gets, so that what it was before tells little. The other one is *steady*: it uses the same memory
/// again and again, behind the cursor of a file that is written, or past the page cache. How long the program waits for
/// each byte is measured by both. Whichever is slower by a tenth is left; to know the other one, it is tried for a
/// moment, which may cost a twentieth of the time in all. Times are seconds on any steady clock.
class change_rule {
 public:
  static constexpr std::uint64_t window_bytes = std::uint64_t{2} << 20;  ///< between two decisions
  static constexpr std::uint64_t sample_bytes = window_bytes / 8;        ///< of which a window has a few
  static constexpr std::size_t least_samples = 3;  ///< of a window that ends early: one interrupted call is no reason
  static constexpr std::uint64_t look_bytes = 8 * window_bytes;  ///< for which the other way is tried
  static constexpr unsigned most_slow_windows = 3;               ///< after which a look has failed
  static constexpr double least_gain = 1.1;                      ///< times as fast as now, for a change to be worth it
  static constexpr double most_slow_cost = 0.004;  ///< seconds that slow windows in a row may take more than is known
  static constexpr double regret_share = 0.05;     ///< of the elapsed time, for looks that find nothing better
  static constexpr double first_interval = 0.04;   ///< seconds from a look to the next; then twice as long
  static constexpr double longest_interval = 1;    ///< seconds

  struct setup {
    double begin = 0;            ///< when the file's first byte was written or read
    bool begins_steady = false;  ///< a profile says so
    double first_look = 0;       ///< seconds from `begin` on, before which nothing is tried
    double usual_cost = 0;       ///< seconds that the steady way takes more for each byte, until it was measured
    double least_stay = 0;       ///< seconds that the steady way is kept after a look found it faster
    std::uint64_t size = 0;      ///< of the file in bytes, of which looks may cost a share; 0: unknown
  };
  explicit change_rule(const setup& how) noexcept
      : setup_{how}, steady_{how.begins_steady}, next_look_{how.begin + how.first_look}, last_{how.begin} {}

  /// Counts `bytes` that the program waited for until `now`. Returns whether to go on by the other way; is_steady()
  /// then tells which.
  [[nodiscard]] bool count(std::uint64_t bytes, double waited, double now) noexcept;
  /// Until `now` there were other bytes, which show nothing.
  void pass(double now) noexcept { last_ = now; }

  /// Goes on by the steady way, or by another steady one, whatever was measured, and looks at no other one for a while.
  void go_steady(double now) noexcept;
  /// Whether it is known what a byte takes by the way in use, which is no look.
  [[nodiscard]] bool is_settled() const noexcept;
  /// Seconds for each byte at the moment, the program's own time included; 0: not known yet.
  [[nodiscard]] double seconds_per_byte() const noexcept { return own_time_ + now_waits_; }
  /// The same by the last few windows.
  [[nodiscard]] double usual_seconds_per_byte() const noexcept { return own_time_ + waits().median(); }
  /// The program's own time of it.
  [[nodiscard]] double own_seconds_per_byte() const noexcept { return own_time_; }
  /// Bytes so far, in samples.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return all_; }
  /// Whether the program waits for long enough that another way could matter.
  [[nodiscard]] bool is_waited_for() const noexcept { return now_waits_ > regret_share * own_time_; }

  [[nodiscard]] bool is_steady() const noexcept { return steady_; }
  [[nodiscard]] change_reason reason() const noexcept { return reason_; }

 private:
  [[nodiscard]] bool is_slow_already() const noexcept;
  bool close_window(double now) noexcept;
  [[nodiscard]] bool is_slower_than_known(double waited, double bytes) noexcept;
  bool judge_look() noexcept;
  void repeat_cut_look(double sample, double now) noexcept;
  [[nodiscard]] bool may_look(double now) const noexcept;
  [[nodiscard]] double cost_allowed() const noexcept;
  bool change(change_reason why) noexcept;
  /// Times as fast that the program is if it waits `fast` seconds for each byte instead of `slow`.
  [[nodiscard]] double gain(double slow, double fast) const noexcept;
  /// Bytes after which a look that finds nothing better ends.
  [[nodiscard]] double most_look_bytes() const noexcept;
  [[nodiscard]] last_few& waits() noexcept { return steady_ ? steady_waits_ : cached_waits_; }
  [[nodiscard]] const last_few& waits() const noexcept { return steady_ ? steady_waits_ : cached_waits_; }
  [[nodiscard]] const last_few& other_waits() const noexcept { return steady_ ? cached_waits_ : steady_waits_; }

  setup setup_;
  bool steady_;
  change_reason reason_ = change_reason::look;

  last_few cached_waits_;  // seconds for each byte of the last windows through the page cache
  last_few steady_waits_;  // and of those by the other way
  double now_waits_ = 0;   // what the way in use takes at the moment
  last_few own_times_;     // the program's own seconds for each byte
  double own_time_ = 0;    // their median
  double elapsed_ = 0;     // seconds that the file took, without interruptions
  std::uint64_t all_ = 0;  // bytes

  bool looks_ = false;
  unsigned slow_windows_ = 0;  // of this look
  double look_cost_ = 0;       // seconds that this look took more than the way before
  double most_cost_ = 0;       // that it may take
  double cut_wait_ = 0;   // seconds for each byte, midway between a look that was just ended for its cost, and before
  double slow_cost_ = 0;  // seconds that the last windows in a row took more than the other way
  double regret_ = 0;     // that looks in vain took
  double next_look_;      // not before, unless the other way was faster
  double interval_ = first_interval;
  double changed_ = 0;  // when

  double last_;       // when the last bytes were counted
  last_few samples_;  // seconds for each byte of the samples of this window
  std::uint64_t sample_ = 0;
  double sample_waited_ = 0;
  std::uint64_t window_ = 0;
  double window_waited_ = 0;
  double window_own_ = 0;
};

}  // namespace freshet::detail
