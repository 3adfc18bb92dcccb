// When a file that is read changes its way for what the page cache does not hold: the decisions alone, without a clock,
// a file or a device, so that tests can run them over simulated machines. doc/decisions/0023-adaptive-reading.md has
// the reasons for every figure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/method/switching.hpp"

namespace freshet::detail {

/// How long programs waited for bytes of a device that the page cache did not hold, by the way that read them.
struct read_speeds {
  struct wait {
    double seconds_per_byte = 0;
    std::uint64_t bytes = 0;  ///< that show it; 0: unknown
  };
  std::array<wait, 2> waits;

  [[nodiscard]] wait& by(way which) noexcept { return waits.at(static_cast<std::size_t>(which)); }
  [[nodiscard]] const wait& by(way which) const noexcept { return waits.at(static_cast<std::size_t>(which)); }
};

inline constexpr std::uint64_t first_look_at = std::uint64_t{4} << 20;        ///< bytes, before the other way is tried
inline constexpr std::uint64_t look_bytes = std::uint64_t{4} << 20;           ///< that a look reads to judge by
inline constexpr std::uint64_t read_sample = std::uint64_t{2} << 20;          ///< bytes between two decisions
inline constexpr std::uint64_t shortest_read_stay = std::uint64_t{16} << 20;  ///< bytes, after a change
/// Bytes of the first direct reads that show nothing: they touch new memory, which later ones use again.
inline constexpr std::uint64_t unproven_bytes = std::uint64_t{4} << 20;

/// Why a file is read in another way from here on.
enum class read_change : std::uint8_t { in_cache, not_in_cache, known_faster, look, look_failed, forced };
[[nodiscard]] std::string_view to_string(read_change reason) noexcept;

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

  /// Counts `bytes` that came by the way in use, and the seconds that the program waited for them. Brings `speeds` up
  /// to date, and returns whether to change the way; then call changed().
  [[nodiscard]] bool moved(std::uint64_t bytes, double waited, double now, read_speeds& speeds) noexcept;
  /// Other bytes were read until `now`.
  void passed(double now) noexcept { last_ = now; }
  void changed(double now) noexcept;
  /// The other way does not work here: nothing is tried from now on.
  void give_up() noexcept { gave_up_ = true; }

  [[nodiscard]] way now_by() const noexcept { return now_by_; }
  [[nodiscard]] read_change reason() const noexcept { return reason_; }
  /// Blocks to read ahead: more only while the program waits.
  [[nodiscard]] unsigned ahead() const noexcept { return ahead_; }

 private:
  void close_window(read_speeds& speeds) noexcept;
  [[nodiscard]] bool judge_look(double now, const read_speeds& speeds) noexcept;
  [[nodiscard]] bool may_look(double now, const read_speeds& speeds) const noexcept;
  [[nodiscard]] double gain(const read_speeds& speeds) const noexcept;
  [[nodiscard]] double regret_left(double now, double seconds_per_byte) const noexcept;
  bool ask(read_change why, double now) noexcept;

  setup setup_;
  way now_by_;
  read_change reason_ = read_change::look;
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
