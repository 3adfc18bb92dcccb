// When a file that is read changes its way for what the page cache does not hold: the decisions alone, without a clock,
// a file or a device, so that tests can run them over simulated machines. doc/decisions/0023-adaptive-reading.md has
// the reasons for every figure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/method/switching.hpp"

namespace freshet::detail {

inline constexpr std::uint64_t first_look_at = std::uint64_t{4} << 20;        ///< bytes, before the other way is tried
inline constexpr std::uint64_t look_bytes = std::uint64_t{4} << 20;           ///< that a look reads to judge by
inline constexpr std::uint64_t read_sample = std::uint64_t{2} << 20;          ///< bytes between two decisions
inline constexpr std::uint64_t shortest_read_stay = std::uint64_t{16} << 20;  ///< bytes, after a change
/// Bytes of the first direct reads that show nothing: they touch new memory, which later ones use again.
inline constexpr std::uint64_t unproven_bytes = std::uint64_t{4} << 20;

/// Decides by which way one file's bytes that the page cache does not hold are read, and how many blocks ahead. Times
/// are seconds on any steady clock.
class read_switching {
 public:
  struct setup {
    way first = way::cached;
    bool is_proven = false;  ///< a profile chose the first way: no other one is tried at once
    unsigned depth = 1;      ///< the most blocks to read ahead
    std::uint64_t size = 0;  ///< of the file, in bytes
    double begin = 0;
  };
  explicit read_switching(const setup& how) noexcept;

  /// Counts `bytes` that came by the way in use, and the seconds that the program waited for them. Brings `speeds`,
  /// which are those of bytes that the page cache did not hold, up to date, and returns whether to change the way; then
  /// call changed().
  [[nodiscard]] bool moved(std::uint64_t bytes, double waited, double now, way_speeds& speeds) noexcept;
  /// Other bytes were read until `now`.
  void passed(double now) noexcept { last_ = now; }
  void changed(double now) noexcept;
  /// The other way does not work here: nothing is tried from now on.
  void give_up() noexcept { gave_up_ = true; }

  [[nodiscard]] way now_by() const noexcept { return now_by_; }
  [[nodiscard]] change_reason reason() const noexcept { return reason_; }
  /// Blocks to read ahead: more only while the program waits.
  [[nodiscard]] unsigned ahead() const noexcept { return ahead_; }

 private:
  void close_window(way_speeds& speeds) noexcept;
  [[nodiscard]] bool judge_look(double now, const way_speeds& speeds) noexcept;
  [[nodiscard]] bool may_look(double now, const way_speeds& speeds) const noexcept;
  [[nodiscard]] double gain(const way_speeds& speeds) const noexcept;
  [[nodiscard]] double regret_left(double now, double seconds_per_byte) const noexcept;
  bool ask(change_reason why, double now) noexcept;

  setup setup_;
  way now_by_;
  change_reason reason_ = change_reason::look;
  unsigned ahead_ = 1;
  bool gave_up_ = false;
  bool looks_ = false;
  unsigned changes_ = 0;
  double last_change_ = 0;
  double last_;  // when the last bytes were handed out

  std::uint64_t unproven_ = unproven_bytes;
  double regret_ = 0;  // seconds that looks in vain cost
  double excess_ = 0;  // seconds that this look has cost so far
  double next_look_;
  double interval_ = first_interval;

  // Since the last change: bytes that show something, and the averages of the last memory_bytes of them.
  std::uint64_t stayed_ = 0;
  double wait_ = 0;
  double own_time_ = 0;
  // Since the last decision.
  std::uint64_t window_ = 0;
  double window_waited_ = 0;
  double window_own_ = 0;
};

}  // namespace freshet::detail
