// Has the bytes that a file left in the page cache written to the device behind the cursor, in their order, and gives
// their pages back: the next bytes then get the same memory again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

#include "src/os/file.hpp"

namespace freshet::detail {

/// Follows one file that is written from front to back. doc/decisions/0032-write-behind.md has the reason for every
/// figure.
class write_behind {
 public:
  /// Bytes that are started at once: those of the largest folio of the page cache, which drops only whole ones.
  static constexpr std::uint64_t range = std::uint64_t{2} << 20;
  static constexpr std::uint64_t most_in_flight = 16 * range;
  /// The same where it is not known what is written: a device has most of it by then.
  static constexpr std::uint64_t most_unseen = 2 * most_in_flight;
  /// Bytes by which the device's rate is measured.
  static constexpr std::uint64_t rate_bytes = 8 * range;
  /// Seconds that all of it takes for each byte, as measured.
  static constexpr double usual_cost = 1.5e-10;

  /// What to do while that many bytes are on their way to the device.
  enum class when_full : std::uint8_t {
    go_on,  ///< start no more: the page cache holds what the device does not take, as without write-behind
    wait,   ///< so that the page cache never holds more
  };

  /// `origin`: offset of the first byte of `target` that this program wrote.
  write_behind(os::file& target, std::uint64_t origin, when_full full) noexcept
      : file_{target}, full_{full}, started_{origin / range * range}, dropped_{started_} {}

  /// Counts `bytes` that were written.
  void count(std::uint64_t bytes) noexcept { counted_ += bytes; }
  /// Whether these are enough to call follow().
  [[nodiscard]] bool is_due() const noexcept { return counted_ >= range; }
  /// Has follow() be due at once: what is in the page cache can be on its way while the next bytes are written.
  void begin() noexcept { counted_ = range; }

  /// Everything before `end` is in the page cache. Starts what comes next, and gives back what is on the device.
  /// Reports bytes that were lost on the way there.
  void follow(std::uint64_t end, double now, std::error_code& error) noexcept;

  /// Whether bytes are on their way to the device.
  [[nodiscard]] bool is_busy() const noexcept { return started_ > dropped_; }
  /// Gives back what is on the device; to be called often while is_busy(), so that it is known when that
  /// is. Reports bytes that were lost.
  void watch(double now, std::error_code& error) noexcept;
  /// Seconds that the device took for each byte while it was busy, once for each `rate_bytes`; 0: nothing new.
  [[nodiscard]] double take_device_seconds() noexcept;

  /// Bytes before `end` of which it is not known that the device has them.
  [[nodiscard]] std::uint64_t unwritten_before(std::uint64_t end) const noexcept {
    return end - std::min(end, dropped_);
  }
  /// Starts everything before `end` towards the device. finish() says what came of it.
  void send(std::uint64_t end) noexcept;
  /// Waits until the device has everything before `end`, so that a power cut leaves no hole before what follows, but
  /// for no longer than `most` seconds, as far as the device answers at all. Returns whether it has. Reports bytes that
  /// were lost.
  [[nodiscard]] bool finish(std::uint64_t end, double most, std::error_code& error) noexcept;
  [[nodiscard]] bool is_refused() const noexcept { return is_refused_; }
  /// Everything before `end` was written some other way, and is on the device.
  void skip(std::uint64_t end) noexcept;

 private:
  void advance(std::uint64_t end, std::uint64_t most, double now, std::error_code& error) noexcept;
  void start_next(double now, std::error_code& error) noexcept;
  void drop_next(double now, std::error_code& error) noexcept;
  [[nodiscard]] bool is_next_written() noexcept;
  /// Bytes of the range that the device lacks; empty if the kernel does not tell.
  [[nodiscard]] std::optional<std::uint64_t> unwritten(std::uint64_t offset, std::uint64_t length) noexcept;
  [[nodiscard]] bool is_full() const noexcept {
    return started_ - dropped_ >= (is_blind() ? most_unseen : most_in_flight);
  }
  /// Whether pages are given back without knowing whether they are written; the kernel keeps those that are not.
  [[nodiscard]] bool is_blind() const noexcept { return waits_for_all_ && full_ == when_full::go_on; }
  void leave_out_what_is_refused(std::error_code& error) noexcept;

  os::file& file_;
  when_full full_;
  bool is_refused_ = false;
  bool can_ask_ = true;         // whether the kernel tells what is written
  bool waits_for_all_ = false;  // whether only the whole file can be waited for, not a part of it
  std::uint64_t counted_ = 0;   // bytes since the last call of follow()
  std::uint64_t started_;       // the bytes before are being written, or are written
  std::uint64_t dropped_;       // the bytes before are on the device, unless blind, and their pages given back
  double busy_since_ = 0;       // until when busy_seconds_ are counted
  double busy_seconds_ = 0;     // since the device's rate was last taken
  std::uint64_t busy_bytes_ = 0;
};

}  // namespace freshet::detail
