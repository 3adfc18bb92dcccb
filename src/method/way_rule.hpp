// By which way an adaptive file goes on: the decisions alone, without a clock, a file or a device, so that tests can
// run them over simulated machines. doc/decisions/0039-prior.md has the reason for every figure.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <freshet/profile.hpp>

#include "src/method/change_reason.hpp"
#include "src/method/way.hpp"

namespace freshet::detail {

/// The last few of some measurements. Of their median, one that was interrupted says nothing.
class last_few {
 public:
  void add(double value) noexcept { values_.at(count_++ % values_.size()) = value; }
  void clear() noexcept { count_ = 0; }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  /// 0 without any.
  [[nodiscard]] double median() const noexcept;
  [[nodiscard]] double mean() const noexcept;
  static constexpr std::size_t most = 9;

 private:
  std::array<double, most> values_{};
  std::size_t count_ = 0;
};

/// Decides for one file. How long the program waits for each byte is measured in samples. A way is left for one that is
/// known to be faster by a tenth, once most of the last few samples say so. To know another way, it is probed: for 16
/// MiB, or until it has lost. Probes in vain may cost a twentieth of the time in all, and come at doubling intervals. A
/// file that is written goes past the page cache without a probe, where the device was measured to be faster: the
/// device must have everything before, and that wait must pay, too. Times are seconds on any steady clock.
class way_rule {
 public:
  static constexpr std::uint64_t sample_bytes = std::uint64_t{2} << 20;  ///< of each figure, and between two decisions
  static constexpr std::size_t least_samples = 5;                        ///< that a way is judged by
  static constexpr std::size_t probe_samples = 8;
  static constexpr double least_gain = 1.1;            ///< times as fast as now, for a change to be worth it
  static constexpr double least_gain_from_past = 1.3;  ///< the same for a file that is written: the way back is a wait
  static constexpr double most_trusted_spread = 0.25;  ///< of what is known; beyond, the file's first samples count
  static constexpr double regret_share = 0.05;         ///< of the elapsed time, for probes in vain
  static constexpr double first_interval = 0.04;       ///< seconds from a probe to the next; then twice as long
  static constexpr double longest_interval = 1;        ///< seconds; also until a way that was given up is tried again
  static constexpr double first_past_probe = 0.2;      ///< seconds after direct I/O that began by what is known
  static constexpr double likely_growth = 0.25;        ///< of the file's bytes so far, over which the wait must pay
  static constexpr double most_patience = 3;           ///< times as long as expected that the wait may take
  static constexpr double least_patience = 0.02;       ///< seconds of it: a device may be busy for a moment

  struct setup {
    double begin = 0;          ///< when the file's first byte was written or read
    way first = way::kept;     ///< that the file begins with
    way probed = way::behind;  ///< from `kept`; `past`: files that are read, which go there at any time
    double usual_cost = 0;     ///< seconds that the probed way takes more for each byte, until it was measured
    std::uint64_t size = 0;    ///< of the file in bytes, of which probes may cost a share; 0: unknown
  };
  explicit way_rule(const setup& how) noexcept
      : setup_{how}, in_use_{how.first}, next_probe_{how.begin}, next_past_{how.begin}, last_{how.begin} {}

  /// Counts `bytes` that the program waited for until `now`. `unwritten`: bytes that the device lacks. Returns how to
  /// go on, for which reason() then tells why.
  [[nodiscard]] way count(std::uint64_t bytes, double waited, double now, std::uint64_t unwritten = 0) noexcept;
  /// Until `now` there were other bytes, which show nothing.
  void pass(double now) noexcept { last_ = now; }
  /// What is known without this file. Returns how to go on, as count() does.
  [[nodiscard]] way know(const measured_ways& known) noexcept;

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
  /// What this file showed of each way.
  [[nodiscard]] measured_ways figures() const noexcept;

 private:
  struct state {
    last_few waits;    // seconds for each byte of the last samples; with the program's own where it overlaps them
    double bytes = 0;  // of the whole file
    double seconds = 0;
    double squares = 0;  // of the seconds for each byte, by bytes
  };

  [[nodiscard]] bool reads() const noexcept { return setup_.probed == way::past; }
  [[nodiscard]] state& at(way of) noexcept { return states_.at(static_cast<std::size_t>(of)); }
  [[nodiscard]] const state& at(way of) const noexcept { return states_.at(static_cast<std::size_t>(of)); }
  /// What is read waits once for the 16 MiB that the kernel or a queue reads ahead, and then for nothing.
  [[nodiscard]] double usual(way of) const noexcept { return reads() ? at(of).waits.mean() : at(of).waits.median(); }
  /// Past the page cache, the device writes while the program works.
  [[nodiscard]] double wait(way of) const noexcept {
    return overlaps(of) ? std::max(0.0, usual(of) - own_) : usual(of);
  }
  [[nodiscard]] bool overlaps(way of) const noexcept { return of == way::past && !reads(); }
  /// Seconds for each byte, the program's own time included.
  [[nodiscard]] double cost(way of) const noexcept { return own_ + wait(of); }
  [[nodiscard]] bool is_known(way of) const noexcept { return at(of).waits.count() > 0; }
  /// Whether the way in use takes longer than so many times what the other one takes.
  [[nodiscard]] bool is_slower(double times, way other) const noexcept {
    return at(in_use_).waits.count() >= (reads() ? last_few::most : least_samples) &&
           cost(in_use_) > times * cost(other);
  }
  /// That is tried from the one in use.
  [[nodiscard]] way next_probed() const noexcept {
    if (in_use_ == way::kept) return setup_.probed;
    return overlaps(in_use_) ? way::behind : way::kept;
  }
  /// The fastest of the other ways that are known and may be taken; the one in use if there is none.
  [[nodiscard]] way best_other(double now) const noexcept;
  void close_sample(double now, std::uint64_t unwritten) noexcept;
  void begin_probe(double now) noexcept;
  void judge_probe() noexcept;
  void leave(way next, double now, std::uint64_t unwritten) noexcept;
  void catch_up_or_go_past(double now, std::uint64_t unwritten) noexcept;
  [[nodiscard]] bool may_probe(double now) const noexcept;
  [[nodiscard]] double cost_allowed() const noexcept;
  void change(way next, change_reason why) noexcept;

  setup setup_;
  way in_use_;
  change_reason reason_ = change_reason::probe;
  std::array<state, all_ways.size()> states_;
  last_few own_times_;  // the program's own seconds for each byte
  double own_ = 0;      // their median
  double elapsed_ = 0;
  std::uint64_t all_ = 0;  // bytes

  bool probes_ = false;
  way before_ = way::kept;  // the probe
  double probe_cost_ = 0;   // seconds that it took more than the way before
  double most_cost_ = 0;    // that it may take
  double regret_ = 0;       // that probes in vain took
  double interval_ = first_interval;
  double next_probe_;
  double next_past_;  // not before
  double most_wait_ = 0;

  double last_;  // when the last bytes were counted
  std::uint64_t sample_ = 0;
  double sample_waited_ = 0;
  double sample_own_ = 0;
};

}  // namespace freshet::detail
