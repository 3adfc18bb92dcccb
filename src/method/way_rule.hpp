// By which way an adaptive file goes on: the decisions alone, without a clock, a file or a device, so that tests can
// run them over simulated machines. doc/decisions/0039-prior.md has the reason for every figure.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <freshet/profile.hpp>

#include "src/method/change_reason.hpp"

namespace freshet::detail {

/// The ways to move a file's bytes.
enum class way : std::uint8_t {
  kept,    ///< through the page cache, which keeps them
  behind,  ///< through the page cache, which gives them back once the device has them
  past,    ///< past the page cache
};

/// The last few of some measurements, of which the median counts: one that was interrupted says nothing.
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

/// How much longer something takes than it should: a cumulative sum that never falls below zero (Page, "Continuous
/// inspection schemes", Biometrika 41, 1954).
class excess {
 public:
  static constexpr std::uint64_t least_bytes = std::uint64_t{768} << 10;  ///< of slow calls: a single one says nothing

  /// `bytes` took so many seconds, and should have taken `limit` at most.
  void add(double waited, double limit, std::uint64_t bytes) noexcept;
  [[nodiscard]] bool is_over(double seconds) const noexcept { return sum_ > seconds && slow_bytes_ >= least_bytes; }
  /// Seconds for each byte since the sum was last zero. Precondition: is_over(0).
  [[nodiscard]] double mean() const noexcept { return waited_ / static_cast<double>(bytes_); }

 private:
  double sum_ = 0;
  double waited_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t slow_bytes_ = 0;
};

/// Decides for one file. How long the program waits for each byte is measured. A way is left for one that is known to
/// be faster by a tenth, once it has cost 4 ms more than that. To know another way, it is probed: for 16 MiB, or until
/// it has lost. Probes in vain may cost a twentieth of the time in all, and come at doubling intervals. A file that is
/// written goes past the page cache without a probe, where the device was measured to be faster: the device must have
/// everything before, and that wait must pay, too. Times are seconds on any steady clock.
class way_rule {
 public:
  static constexpr std::uint64_t window_bytes = std::uint64_t{2} << 20;  ///< of each figure, and between two decisions
  static constexpr std::size_t probe_windows = 8;
  static constexpr unsigned most_lost = 3;        ///< windows, after which a probe has failed
  static constexpr double least_gain = 1.1;       ///< times as fast as now, for a change to be worth it
  static constexpr double regret_share = 0.05;    ///< of the elapsed time, for probes in vain
  static constexpr double first_interval = 0.04;  ///< seconds from a probe to the next; then twice as long
  static constexpr double known_wait = 0.05;      ///< seconds by which a probe of what is known comes later
  static constexpr double longest_interval = 1;   ///< seconds; also until what was left for its speed is tried again
  static constexpr std::uint64_t first_sample_at = std::uint64_t{80} << 20;  ///< bytes: smaller files would lose by it
  static constexpr double likely_growth = 0.25;      ///< of the file's bytes so far, over which the wait must pay
  static constexpr double most_catch_up_cost = 1.2;  ///< times as slow as now, that being behind may be for it
  static constexpr double most_patience = 3;         ///< times as long as expected that the wait may take

  /// Seconds that a way may take more than the best other one before it is left; a device may be busy for a moment.
  static constexpr double most_excess = 0.004;
  static constexpr double most_excess_of_device = 0.02;

  struct setup {
    double begin = 0;          ///< when the file's first byte was written or read
    way first = way::kept;     ///< that the file begins with
    way probed = way::behind;  ///< from `kept`; `past`: files that are read, which go there at any time
    double usual_cost = 0;     ///< seconds that the probed way takes more for each byte, until it was measured
    double first_probe = 0;    ///< seconds from `begin` on, before which nothing is probed
    std::uint64_t size = 0;    ///< of the file in bytes, of which probes may cost a share; 0: unknown
  };
  explicit way_rule(const setup& how) noexcept;

  /// Counts `bytes` that the program waited for until `now`. `unwritten`: bytes that the device lacks. Returns how to
  /// go on, for which reason() then tells why.
  [[nodiscard]] way count(std::uint64_t bytes, double waited, double now, std::uint64_t unwritten = 0) noexcept;
  /// Until `now` there were other bytes, which show nothing.
  void pass(double now) noexcept { last_ = now; }
  /// What is known without this file. Returns how to go on, as count() does.
  [[nodiscard]] way know(const measured_ways& known) noexcept;

  /// Whether it is time to measure how fast the device is, which being behind shows anyway. If so, counts this as the
  /// time.
  [[nodiscard]] bool begins_sample(double now) noexcept;
  /// The device took as many seconds for each byte.
  void learn_device(double seconds) noexcept;
  /// Seconds that the wait for the device may take before direct writes begin.
  [[nodiscard]] double most_wait() const noexcept { return most_wait_; }
  /// That took `waited` seconds until `now`, because of what had been written before.
  void past_begins(double waited, double now) noexcept;
  /// At `now`, direct writes could not begin: goes on behind the cursor, and tries them again only if `may_retry`, and
  /// not before another longest_interval.
  void abandon_past(bool may_retry, double now) noexcept;

  [[nodiscard]] change_reason reason() const noexcept { return reason_; }
  /// What this file showed of a way.
  [[nodiscard]] way_figure figure(way of) const noexcept { return at(of).total.figure(); }

 private:
  struct total {
    double bytes = 0;
    double seconds = 0;
    double squares = 0;  // of the seconds for each byte, by bytes
    [[nodiscard]] way_figure figure() const noexcept;
  };
  struct state {
    last_few waits;  // seconds for each byte of the last windows
    struct total total;
  };

  [[nodiscard]] bool reads() const noexcept { return setup_.probed == way::past; }
  [[nodiscard]] state& at(way of) noexcept { return states_.at(static_cast<std::size_t>(of)); }
  [[nodiscard]] const state& at(way of) const noexcept { return states_.at(static_cast<std::size_t>(of)); }
  [[nodiscard]] double wait(way of) const noexcept { return at(of).waits.median(); }
  /// Seconds for each byte, the program's own time included.
  [[nodiscard]] double cost(way of) const noexcept { return own_ + wait(of); }
  [[nodiscard]] bool is_known(way of) const noexcept { return at(of).waits.size() > 0; }
  [[nodiscard]] bool is_waited_for() const noexcept { return wait(in_use_) > regret_share * own_; }
  /// That is tried from the one in use.
  [[nodiscard]] way next_probed() const noexcept { return in_use_ == way::kept ? setup_.probed : way::kept; }
  /// The fastest of the other ways that are known and open; `one` without any.
  [[nodiscard]] way best_beside(way one, double now) const noexcept;
  [[nodiscard]] bool is_too_slow() const noexcept {
    return over_other_.is_over(in_use_ == way::past ? most_excess_of_device : most_excess);
  }
  [[nodiscard]] bool is_slow_already() const noexcept;
  void close_window(double now, std::uint64_t unwritten) noexcept;
  void begin_probe(double now) noexcept;
  void judge_probe() noexcept;
  void leave(double now, std::uint64_t unwritten) noexcept;
  void catch_up_or_go_past(double now, std::uint64_t unwritten) noexcept;
  [[nodiscard]] bool may_probe(double now) const noexcept;
  [[nodiscard]] double cost_allowed() const noexcept;
  void change(way next, change_reason why) noexcept;

  setup setup_;
  way in_use_;
  change_reason reason_ = change_reason::probe;
  std::array<state, 3> states_;
  last_few own_times_;  // the program's own seconds for each byte
  double own_ = 0;      // their median
  double elapsed_ = 0;
  std::uint64_t all_ = 0;  // bytes
  excess over_other_;      // beside the best other way

  bool probes_ = false;
  way before_ = way::kept;  // the probe
  unsigned lost_ = 0;       // windows of it
  double probe_cost_ = 0;   // seconds that it took more than the way before
  double most_cost_ = 0;    // that it may take
  double regret_ = 0;       // that probes in vain took
  double interval_ = first_interval;
  double next_probe_;

  bool is_past_refused_ = false;
  double next_past_;  // not before
  double next_sample_;
  double most_wait_ = 0;

  double last_;  // when the last bytes were counted
  std::uint64_t window_ = 0;
  double window_waited_ = 0;
  double window_own_ = 0;
};

}  // namespace freshet::detail
