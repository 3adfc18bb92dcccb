// Files that are written to machines that are only simulated, by the rule of src/method/way_rule.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "src/method/way_rule.hpp"
#include "src/method/write_behind.hpp"

namespace freshet::detail::simulation {

inline constexpr std::uint64_t KiB = 1024;
inline constexpr std::uint64_t MiB = 1024 * KiB;
inline constexpr std::uint64_t GiB = 1024 * MiB;

/// How fast a machine is: bytes per second, by the seconds since the start and the bytes that were written by then.
struct machine {
  using rate = std::function<double(double now, std::uint64_t offset)>;
  rate cached;            ///< that the page cache takes on memory that it was not given back
  rate device;            ///< that the device takes
  double program = 1e12;  ///< that the program would write without waiting
};

inline machine::rate always(double rate) {
  return [rate](double, std::uint64_t) { return rate; };
}

/// What being behind costs for each byte (src/method/write_behind.cpp), and what the page cache takes for one whose
/// memory is at hand, in seconds, as measured: doc/decisions/0032-write-behind.md.
inline constexpr double behind_cost = write_behind::usual_cost;
inline constexpr double warm_copy = 2e-10;

struct outcome_of_file {
  double seconds = 0;  ///< to close
  std::vector<double> changes = {};
  std::uint64_t behind_bytes = 0;
  std::uint64_t past_bytes = 0;
  way last = way::kept;
};

/// What figures of a machine whose rates stay as they begin would say.
[[nodiscard]] inline measured_ways ways_of(const machine& on) {
  const double own = 1 / on.program;
  const double cold = 1 / on.cached(0, 0);
  const double warm = std::min(cold, warm_copy);
  const double device = on.device(0, 0);
  // Being behind, a byte finds warm memory if the device has taken another one meanwhile.
  const double behind =
      std::max((own + cold + behind_cost) / (1 + device * (cold - warm)), own + warm + behind_cost) - own;
  constexpr double spread = 0.1;
  return {.kept = {cold, spread, GiB}, .behind = {behind, spread, GiB}, .past = {1 / device, spread, GiB}};
}

/// Writes a file as the method does, by simulated time; what is `known` comes to its knowledge as there.
class simulated_file {
 public:
  explicit simulated_file(const machine& on, const measured_ways& known = {}) : on_{on}, known_{known} {}

  outcome_of_file write(std::uint64_t size, std::uint64_t call = 256 * KiB) {
    for (std::uint64_t offset = 0; offset < size; offset += call) write_call(offset, call);
    result_.seconds = now_;
    result_.last = mode_;
    return result_;
  }

 private:
  void write_call(std::uint64_t offset, std::uint64_t length) {
    const auto bytes = static_cast<double>(length);
    now_ += bytes / on_.program;
    const double device = on_.device(now_, offset);
    advance_device(device);
    const double waited = mode_ == way::past ? write_past(bytes, device) : write_cached(bytes, offset);
    now_ += waited;
    way next = rule_.count(length, waited, now_, static_cast<std::uint64_t>(unwritten_));
    if (offset + length >= 4 * MiB && std::exchange(asks_, false)) next = rule_.know(known_);
    if (next != mode_) change(next, device);
  }

  double write_cached(double bytes, std::uint64_t offset) {
    const double cold = 1 / on_.cached(now_, offset);
    unwritten_ += bytes;
    if (mode_ == way::kept) return bytes * cold;
    const double again = std::min(bytes, free_);
    free_ -= again;
    start_at_most(2 * bytes);
    result_.behind_bytes += static_cast<std::uint64_t>(bytes);
    return again * std::min(cold, warm_copy) + (bytes - again) * cold + bytes * behind_cost;
  }

  // The device works while the program forms the next bytes.
  double write_past(double bytes, double device) {
    result_.past_bytes += static_cast<std::uint64_t>(bytes);
    return std::max(0.0, bytes / device - bytes / on_.program);
  }

  void start_at_most(double bytes) { in_flight_ = std::min({in_flight_ + bytes, most_in_flight, unwritten_}); }

  void change(way next, double device) {
    result_.changes.push_back(now_);
    if (next == way::past) next = wait_for_device(device);
    device_seen_ = now_;
    mode_ = next;
  }

  // Direct writes begin once the device has what the page cache holds, unless it takes too long.
  way wait_for_device(double device) {
    const double waited = std::min(unwritten_ / device, rule_.most_wait());
    now_ += waited;
    unwritten_ = std::max(0.0, unwritten_ - waited * device);
    in_flight_ = 0;
    if (unwritten_ <= 0.5) {
      rule_.past_begins(waited, now_);
      return way::past;
    }
    rule_.abandon_past(true, now_);
    return way::behind;
  }

  // What the device has taken by now can be used again.
  void advance_device(double rate) {
    const double most = (now_ - device_seen_) * rate;
    device_seen_ = now_;
    const double taken = std::min(in_flight_, most);
    in_flight_ -= taken;
    unwritten_ -= taken;
    free_ += taken;
    seen_ += taken;
    if (seen_ < rate_bytes) return;
    seen_ = 0;
    rule_.learn_device(1 / rate);
  }

  static constexpr auto most_in_flight = static_cast<double>(write_behind::most_in_flight);
  static constexpr auto rate_bytes = static_cast<double>(write_behind::rate_bytes);

  const machine& on_;
  measured_ways known_;
  bool asks_ = known_ != measured_ways{};  // for what is known
  double now_ = 0;
  double device_seen_ = 0;
  double unwritten_ = 0;  // bytes in the page cache
  double in_flight_ = 0;  // of them, those that the device is to write
  double seen_ = 0;       // bytes that the device took while the file was behind, since its rate was last told
  double free_ = 0;       // bytes of memory that were given back and not used again
  way mode_ = way::kept;
  way_rule rule_{{.usual_cost = behind_cost}};
  outcome_of_file result_;
};

/// Seconds of a file that stays with the page cache, and of one that goes past it from its first byte on, while the
/// program forms what follows.
[[nodiscard]] inline double cached_seconds(const machine& on, std::uint64_t size) {
  double now = 0;
  for (std::uint64_t offset = 0; offset < size; offset += MiB)
    now += static_cast<double>(MiB) * (1 / on.cached(now, offset) + 1 / on.program);
  return now;
}
[[nodiscard]] inline double device_seconds(const machine& on, std::uint64_t size) {
  double now = 0;
  for (std::uint64_t offset = 0; offset < size; offset += MiB)
    now += static_cast<double>(MiB) * std::max(1 / on.device(now, offset), 1 / on.program);
  return now;
}
[[nodiscard]] inline double best_seconds(const machine& on, std::uint64_t size) {
  return std::min(cached_seconds(on, size), device_seconds(on, size));
}

}  // namespace freshet::detail::simulation
