// Machines that are only simulated, and files that are written to them by the decisions of src/method/switching.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "src/method/switching.hpp"

namespace freshet::detail::simulation {

inline constexpr std::uint64_t MiB = std::uint64_t{1} << 20;
inline constexpr std::uint64_t GiB = std::uint64_t{1} << 30;

/// How fast a machine is: bytes per second, by the seconds since the start and the bytes that were written by then.
struct machine {
  using rate = std::function<double(double now, std::uint64_t offset)>;
  rate cached;  ///< that the page cache takes
  rate direct;  ///< that the device takes
  double generator = 1e12;
  writers_at_once cached_writers = {};  ///< while the file goes through the page cache
  writers_at_once direct_writers = {};
};

inline machine::rate always(double rate) {
  return [rate](double, std::uint64_t) { return rate; };
}

struct outcome_of_file {
  double seconds = 0;  ///< to close
  std::vector<double> changes = {};
  way last = way::cached;
  std::uint64_t direct_bytes = 0;
  double probed = 0;  ///< times that writing back was started to look
};

/// Writes a file as the method does, by simulated time.
class simulated_file {
 public:
  simulated_file(const machine& on, device_speeds& speeds, double& clock, switching::setup setup = {})
      : on_{on}, speeds_{speeds}, now_{clock}, begin_{clock}, policy_{[&] {
          setup.begin = clock;
          return setup;
        }()} {}

  outcome_of_file write(std::uint64_t size) {
    while (offset_ < size) write_block();
    result_.seconds = now_ - begin_;
    result_.last = policy_.now_by();
    return result_;
  }

 private:
  void write_block() {
    const bool direct = policy_.now_by() == way::direct;
    const std::uint64_t block = direct ? 4 * MiB : MiB / 4;
    const double generated = static_cast<double>(block) / on_.generator;
    const double rate = (direct ? on_.direct : on_.cached)(now_ - begin_, offset_);
    const double moved = static_cast<double>(block) / rate;
    // Direct writes are done while the program fills the next block.
    const double waited = direct ? std::max(0.0, moved - generated) : moved;
    now_ += generated + waited;
    offset_ += block;
    if (direct) result_.direct_bytes += block;
    if (policy_.count(block, waited)) follow(policy_.decide(now_, speeds_, writers(), true));
  }

  void follow(step next) {
    if (next == step::count_written) {
      const double taken = (now_ - probed_since_) * device_rate();
      next = policy_.written_back(std::min(probed_, static_cast<std::uint64_t>(taken)), now_, speeds_, writers());
    }
    if (next == step::start_writeback) start_writeback();
    if (next == step::change) change();
  }

  void start_writeback() {
    ++result_.probed;
    on_device_ += probed_;
    probed_since_ = now_;
    probed_ = std::min(offset_ - on_device_, policy_.most_to_write_back());
    now_ += static_cast<double>(probed_) * writeback_call;
    policy_.writeback_started(probed_, offset_ - on_device_ - probed_, probed_since_, now_);
    if (writers().all < many_writers) return;
    now_ += static_cast<double>(probed_) / device_rate();
    follow(step::count_written);
  }

  void change() {
    const double asked = now_;
    if (policy_.now_by() == way::cached) {
      const double taken = std::min((now_ - probed_since_) * device_rate(), static_cast<double>(probed_));
      now_ += (static_cast<double>(offset_ - on_device_) - taken) / device_rate();
    }
    on_device_ = offset_;
    probed_ = 0;
    result_.changes.push_back(now_ - begin_);
    policy_.changed(asked, now_);
  }

  writers_at_once writers() const { return policy_.now_by() == way::direct ? on_.direct_writers : on_.cached_writers; }
  double device_rate() const { return on_.direct(now_ - begin_, offset_); }

  const machine& on_;
  device_speeds& speeds_;
  double& now_;
  const double begin_;
  switching policy_;
  std::uint64_t offset_ = 0;
  std::uint64_t on_device_ = 0;
  std::uint64_t probed_ = 0;
  double probed_since_ = -1e9;
  outcome_of_file result_;
};

[[nodiscard]] inline outcome_of_file write_file(const machine& on, std::uint64_t size, switching::setup setup = {}) {
  device_speeds speeds;
  double clock = 1000;
  return simulated_file{on, speeds, clock, setup}.write(size);
}

/// Seconds of a file that stays with one way.
[[nodiscard]] inline double fixed_seconds(const machine& on, std::uint64_t size, way by) {
  double now = 0;
  for (std::uint64_t offset = 0; offset < size; offset += MiB) {
    const double rate = (by == way::direct ? on.direct : on.cached)(now, offset);
    const double moved = static_cast<double>(MiB) / rate;
    const double generated = static_cast<double>(MiB) / on.generator;
    now += by == way::direct ? std::max(moved, generated) : moved + generated;
  }
  return now;
}

[[nodiscard]] inline double best_fixed(const machine& on, std::uint64_t size) {
  return std::min(fixed_seconds(on, size, way::cached), fixed_seconds(on, size, way::direct));
}

}  // namespace freshet::detail::simulation
