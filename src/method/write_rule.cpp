#include "src/method/write_rule.hpp"

#include <algorithm>

namespace freshet::detail {

write_mode write_rule::count(std::uint64_t bytes, double waited, double now, std::uint64_t before) noexcept {
  const double wait = device_ * static_cast<double>(before);
  if (rule_.count(bytes, waited, now)) {
    // What made the file leave the device is what it will be judged by.
    if (mode_ == write_mode::direct) device_ = rule_.seconds_per_byte();
    // The device takes less than it did for a moment.
    if (mode_ == write_mode::behind && reason_ == change_reason::device_faster) next_direct_ = now + sample_interval;
    mode_ = rule_.is_steady() ? write_mode::behind : write_mode::keep;
    reason_ = rule_.reason();
  } else if (mode_ != write_mode::direct && is_device_faster(wait, now)) {
    rule_.go_steady(now);
    most_wait_ = most_patience * wait;
    mode_ = write_mode::direct;
    reason_ = change_reason::device_faster;
  } else if (mode_ == write_mode::keep && is_device_faster(0, now)) {
    // While the program goes on, the device gets what it would have to be waited for.
    rule_.go_steady(now);
    mode_ = write_mode::behind;
    reason_ = change_reason::device_faster;
  }
  return mode_;
}

// Direct writes go on while the program works, but only once it has waited for `wait` seconds.
bool write_rule::is_device_faster(double wait, double now) const noexcept {
  if (is_direct_refused_ || now < next_direct_ || device_ == 0 || rule_.bytes() < least_bytes || !rule_.is_settled())
    return false;
  const double seconds =
      std::max(rule_.own_seconds_per_byte(), device_) + wait / (likely_growth * static_cast<double>(rule_.bytes()));
  return rule_.usual_seconds_per_byte() >= change_rule::least_gain * seconds;
}

bool write_rule::begins_sample(double now) noexcept {
  const bool is_wanted = mode_ == write_mode::keep && !is_direct_refused_ && rule_.is_waited_for();
  if (!is_wanted || rule_.bytes() < first_sample_at || now < next_sample_) return false;
  next_sample_ = now + sample_interval;
  return true;
}

void write_rule::abandon_direct(bool may_retry, double now) noexcept {
  is_direct_refused_ = !may_retry;
  next_direct_ = now + sample_interval;
  device_ = 0;
  mode_ = write_mode::behind;
}

}  // namespace freshet::detail
