#include "src/method/read_switching.hpp"

#include <algorithm>

namespace freshet::detail {
namespace {

double in_bytes(std::uint64_t bytes) noexcept { return static_cast<double>(bytes); }

}  // namespace

read_switching::read_switching(const setup& how) noexcept
    : setup_{how}, now_by_{how.first}, last_{how.begin}, next_look_{how.begin + (how.is_proven ? first_interval : 0)} {}

bool read_switching::moved(std::uint64_t bytes, double waited, double now, way_speeds& speeds) noexcept {
  const double own_time = std::max(0.0, now - last_ - waited);
  last_ = now;
  if (waited > regret_share * own_time) ahead_ = std::min(2 * ahead_, setup_.depth);
  if (looks_) excess_ += waited - speeds.by(other_way(now_by_)).seconds_per_byte * in_bytes(bytes);
  if (now_by_ == way::direct && unproven_ > 0) {
    unproven_ -= std::min(unproven_, bytes);
  } else {
    window_ += bytes;
    window_waited_ += waited;
    window_own_ += own_time;
  }
  if (window_ >= read_sample) close_window(speeds);
  if (gave_up_) return false;
  if (looks_) return judge_look(now, speeds);
  // Where the program hardly waits, no other way can help.
  if (window_ > 0 || wait_ < regret_share * own_time_) return false;
  if (stayed_ < (changes_ == 0 ? first_look_at : shortest_read_stay)) return false;
  if (gain(speeds) >= least_gain) return ask(change_reason::known_faster, now);
  return may_look(now, speeds) && ask(change_reason::look, now);
}

// Brings the averages up to date.
void read_switching::close_window(way_speeds& speeds) noexcept {
  const double bytes = in_bytes(window_);
  stayed_ += window_;
  const double weight = bytes / in_bytes(std::min(stayed_, memory_bytes));
  wait_ += (window_waited_ / bytes - wait_) * weight;
  own_time_ += (window_own_ / bytes - own_time_) * weight;
  speeds.by(now_by_) = {wait_, std::min(stayed_, memory_bytes)};
  window_ = 0;
  window_waited_ = window_own_ = 0;
}

// A look ends when it shows enough, or when it has cost what it may.
bool read_switching::judge_look(double now, const way_speeds& speeds) noexcept {
  const double before = speeds.by(other_way(now_by_)).seconds_per_byte;
  const bool is_dear = excess_ > regret_left(now, before + own_time_);
  if (!is_dear && stayed_ < look_bytes) return false;
  looks_ = false;
  if (!is_dear && gain(speeds) <= 1) return false;
  regret_ += std::max(0.0, excess_);
  next_look_ = now + interval_;
  interval_ = std::min(2 * interval_, longest_interval);
  return ask(change_reason::look_failed, now);
}

bool read_switching::may_look(double now, const way_speeds& speeds) const noexcept {
  const way_speeds::wait& other = speeds.by(other_way(now_by_));
  const double left = regret_left(now, wait_ + own_time_);
  if (other.bytes == 0) return now >= next_look_ && left > 0;
  const double cost = std::max(0.0, other.seconds_per_byte - wait_) * in_bytes(look_bytes);
  return now >= std::max(next_look_, setup_.begin + first_interval) && cost < left;
}

// Times as fast as now that the program would go on by the other way; 0: unknown.
double read_switching::gain(const way_speeds& speeds) const noexcept {
  const way_speeds::wait& other = speeds.by(other_way(now_by_));
  return other.bytes > 0 ? (wait_ + own_time_) / std::max(other.seconds_per_byte + own_time_, 1e-15) : 0;
}

// Seconds that looks may still cost: a share of what the file takes, which its size tells before it is over.
double read_switching::regret_left(double now, double seconds_per_byte) const noexcept {
  return regret_share * std::max(now - setup_.begin, seconds_per_byte * in_bytes(setup_.size)) - regret_;
}

bool read_switching::ask(change_reason why, double now) noexcept {
  const bool is_late = changes_ >= free_changes && now - last_change_ < least_distance;
  if (is_late && why != change_reason::look_failed) return false;
  reason_ = why;
  return true;
}

void read_switching::changed(double now) noexcept {
  now_by_ = other_way(now_by_);
  looks_ = reason_ == change_reason::look;
  ++changes_;
  last_change_ = last_ = now;
  stayed_ = window_ = 0;
  wait_ = own_time_ = window_waited_ = window_own_ = excess_ = 0;
}

}  // namespace freshet::detail
