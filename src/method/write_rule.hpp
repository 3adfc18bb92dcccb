// By which of three ways an adaptive file is written: the decisions alone, without a clock, a file or a device, so that
// tests can run them over simulated machines. doc/decisions/0032-write-behind.md has the reason for every figure.
#pragma once

#include <cstdint>

#include "src/method/change_rule.hpp"

namespace freshet::detail {

enum class write_mode : std::uint8_t {
  keep,    ///< the page cache keeps the bytes
  behind,  ///< the page cache gives them back, once the device has them
  direct,  ///< past the page cache
};

/// Decides for one file, as a change_rule does between keeping the pages and giving them back. Past the page cache it
/// goes where the device was measured to be faster than either by a tenth, even though the program must first wait
/// until the device has everything before. Where that wait does not pay yet, the pages are given back until it does.
class write_rule {
 public:
  static constexpr std::uint64_t least_bytes = std::uint64_t{16} << 20;  ///< of a file for which that may be worth it
  static constexpr std::uint64_t first_sample_at = std::uint64_t{80} << 20;  ///< bytes: smaller files would lose by it
  static constexpr double likely_growth = 0.25;  ///< of the file's bytes so far, over which that wait must pay
  static constexpr double most_patience = 3;     ///< times as long as expected that the wait for the device may take
  static constexpr double sample_interval = 1;   ///< seconds; also until direct writes are tried again

  /// `begin`: when the file's first byte was written. `behind_cost`: seconds for each byte that it usually takes to
  /// give pages back.
  write_rule(double begin, double behind_cost) noexcept
      : rule_{{.begin = begin, .usual_cost = behind_cost}}, next_sample_{begin}, next_direct_{begin} {}

  /// Counts `bytes` that the program waited for until `now`. `before`: bytes of which it is not known that the device
  /// has them. Returns how to go on, for which reason() then tells why.
  [[nodiscard]] write_mode count(std::uint64_t bytes, double waited, double now, std::uint64_t before) noexcept;
  /// Until `now` there were other bytes, which show nothing.
  void pass(double now) noexcept { rule_.pass(now); }
  /// The wait for the device took until `now`.
  void direct_begins(double now) noexcept { rule_.go_steady(now); }

  /// Whether it is time to measure how fast the device is, which being behind shows anyway. If so, counts this as the
  /// time.
  [[nodiscard]] bool begins_sample(double now) noexcept;
  /// The device took as many seconds for each byte.
  void learn_device(double seconds) noexcept { device_ = seconds; }
  /// Seconds that the wait for the device may take before direct writes begin.
  [[nodiscard]] double most_wait() const noexcept { return most_wait_; }
  /// At `now`, direct writes could not begin: goes on behind the cursor, and tries them again only if `may_retry`, and
  /// not before another sample_interval.
  void abandon_direct(bool may_retry, double now) noexcept;

  [[nodiscard]] change_reason reason() const noexcept { return reason_; }

 private:
  [[nodiscard]] bool is_device_faster(double wait, double now) const noexcept;

  change_rule rule_;
  write_mode mode_ = write_mode::keep;
  change_reason reason_ = change_reason::look;
  bool is_direct_refused_ = false;
  double device_ = 0;  // seconds for each byte; 0: not known
  double next_sample_;
  double next_direct_;  // not before
  double most_wait_ = 0;
};

}  // namespace freshet::detail
