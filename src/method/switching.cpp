#include "src/method/switching.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace freshet::detail {
namespace {

double as_number(std::uint64_t bytes) noexcept { return static_cast<double>(bytes); }

}  // namespace

double required_gain(std::uint64_t bytes) noexcept {
  return std::max(least_gain, 1 + as_number(sample_bytes) / as_number(std::max<std::uint64_t>(bytes, 1)));
}

std::string_view to_string(change_reason reason) noexcept {
  switch (reason) {
    case change_reason::faster_device:
      return "the device takes more than the page cache";
    case change_reason::known_faster:
      return "it was faster before";
    case change_reason::look:
      return "to see how fast it is";
    case change_reason::look_failed:
      return "the other way was no faster";
    case change_reason::forced:
      break;
  }
  return "forced";
}

step switching::moved(std::uint64_t bytes, double waited, double now, device_speeds& speeds, unsigned sharers,
                      bool may_explore) noexcept {
  bytes_ += bytes;
  stayed_ += bytes;
  window_ += bytes;
  window_waited_ += waited;
  if (now_by_ == way::cached && setup_.durability != durability::each_write) dirty_ += bytes;
  if (window_ < (phase_ == phase::probing ? probe_bytes : sample_bytes)) return step::go_on;
  close_window(now, speeds, sharers);
  if (gave_up_ || bytes_ < worth_exploring) return step::go_on;
  if (phase_ == phase::probing) return step::count_written;
  if (phase_ == phase::trying) return judge_trial(now, speeds, sharers);
  // Where the program hardly waits, no other way can help.
  if (wait_ < regret_share * own_time_ || is_as_promised(now)) return step::go_on;
  if (stayed_ < bytes_ / shortest_stay) return step::go_on;
  return now_by_ == way::cached ? consider_direct(now, speeds, sharers, may_explore)
                                : consider_cached(now, speeds, sharers, may_explore);
}

// Brings the averages up to date.
void switching::close_window(double now, device_speeds& speeds, unsigned sharers) noexcept {
  const double bytes = as_number(window_);
  const double weight = bytes / as_number(std::min(stayed_, memory_bytes));
  const double own_time = std::max(0.0, now - window_begin_ - window_waited_);
  wait_ += (window_waited_ / bytes - wait_) * weight;
  own_time_ += (own_time / bytes - own_time_) * weight;
  usual_wait_ += (window_waited_ / bytes - usual_wait_) * bytes / as_number(stayed_);
  speeds.by(now_by_) = {wait_ / sharers, std::min(stayed_, memory_bytes)};
  window_ = 0;
  window_waited_ = 0;
  window_begin_ = now;
}

// Seconds per byte that the program would wait for the other way, as far as it is known.
double switching::expected_wait(way which, const device_speeds& speeds, unsigned sharers) const noexcept {
  const double device = sharers / (speeds.accepted > 0 ? speeds.accepted : usual_device) - own_time_;
  const device_speeds::wait& known = speeds.by(which);
  if (which == way::direct) return known.bytes > 0 ? known.seconds_per_byte * sharers : std::max(0.0, device);
  const double wait = which == now_by_ ? wait_ : known.seconds_per_byte * sharers;
  // What is to be on the device in the end waits for it sooner or later.
  return setup_.durability == durability::at_close ? std::max(wait, device) : wait;
}

// Times as fast as now that the program would go on by the other way.
double switching::expected_gain(const device_speeds& speeds, unsigned sharers) const noexcept {
  const double now = now_by_ == way::cached ? expected_wait(way::cached, speeds, sharers) : wait_;
  return (now + own_time_) / std::max(expected_wait(other_way(now_by_), speeds, sharers) + own_time_, 1e-15);
}

step switching::judge_trial(double now, const device_speeds& speeds, unsigned sharers) noexcept {
  const std::uint64_t shown = std::min(stayed_, speeds.by(other_way(now_by_)).bytes);
  if (shown > 0 && expected_gain(speeds, sharers) >= required_gain(shown)) {
    const double other = expected_wait(other_way(now_by_), speeds, sharers);
    regret_ += std::max(0.0, wait_ - other) * as_number(stayed_);
    put_off(now);
    return ask(change_reason::look_failed, now);
  }
  if (stayed_ < memory_bytes) return step::go_on;
  put_off(now);
  // What was only tried has to be better.
  if (reason_ == change_reason::look && shown > 0 && expected_gain(speeds, sharers) > 1)
    return ask(change_reason::look_failed, now);
  phase_ = phase::settled;
  return step::go_on;
}

step switching::consider_direct(double now, const device_speeds& speeds, unsigned sharers, bool may_explore) noexcept {
  const bool is_known = speeds.by(way::direct).bytes > 0;
  const bool is_probed = speeds.accepted > 0 && setup_.durability != durability::each_write;
  const double gain = expected_gain(speeds, sharers);
  if (is_known || is_probed) {
    const std::uint64_t shown =
        is_known ? speeds.by(way::direct).bytes : std::max(worth_exploring, speeds.accepted_bytes);
    const bool is_sure = gain >= required_gain(std::min(stayed_, shown));
    const double cost = switching_cost(speeds);
    const bool is_cheap = is_sure ? cost <= change_share * (now - setup_.begin) : can_afford(cost, now);
    if (gain >= least_gain && is_cheap && pays(speeds, sharers))
      return ask(!is_sure   ? change_reason::look
                 : is_known ? change_reason::known_faster
                            : change_reason::faster_device,
                 now);
    if (is_sure && may_explore && now >= next_look_) return put_off(now), step::start_writeback;
  }
  if (!may_explore) return step::go_on;
  // Each write waits for the device already: nothing is left to write back, and a look costs little.
  if (setup_.durability == durability::each_write)
    return !is_known || is_time_to_look(wait_ * as_number(sample_bytes), now) ? ask(change_reason::look, now)
                                                                              : step::go_on;
  const bool promises = !is_known && !is_probed && gain >= least_gain;
  if (!promises && !is_time_to_look(as_number(std::min(dirty_, worth_exploring)) * writeback_call, now))
    return step::go_on;
  put_off(now);
  return step::start_writeback;
}

step switching::consider_cached(double now, const device_speeds& speeds, unsigned sharers, bool may_explore) noexcept {
  const device_speeds::wait& known = speeds.by(way::cached);
  if (known.bytes > 0 && stayed_ >= worth_exploring &&
      expected_gain(speeds, sharers) >= required_gain(std::min(stayed_, known.bytes)))
    return ask(change_reason::known_faster, now);
  if (!may_explore) return step::go_on;
  const double expected = known.bytes > 0 ? expected_wait(way::cached, speeds, sharers) : 2 * wait_;
  const double cost = std::max(0.0, expected - wait_) * as_number(sample_bytes);
  // A rate that is halved may be the device's own, or a reason to look sooner.
  const bool is_halved = wait_ > 2 * usual_wait_;
  if (!is_time_to_look(cost, now) && !(is_halved && can_afford(cost, now))) return step::go_on;
  return ask(change_reason::look, now);
}

void switching::writeback_started(std::uint64_t bytes, double begin, double now) noexcept {
  phase_ = phase::probing;
  probed_ = bytes;
  probed_done_ = 0;
  probed_since_ = begin;
  window_begin_ = now;  // the call is not the program's own time
  regret_ += now - begin;
}

step switching::written_back(std::uint64_t bytes, double now, device_speeds& speeds, unsigned sharers) noexcept {
  constexpr double longest_probe = 0.25;  // seconds
  const double seconds = now - probed_since_;
  const std::uint64_t done = bytes - std::min(bytes, std::exchange(probed_done_, bytes));
  dirty_ -= std::min(dirty_, done);
  speeds.accepted_bytes = std::min(speeds.accepted_bytes + done, memory_bytes);
  if (bytes < std::min(probed_, worth_exploring) / 4 && seconds < longest_probe) return step::go_on;
  const double accepted = as_number(std::max(bytes, probe_bytes / 4)) / std::max(seconds, 1e-6);
  // What was complete before anybody looked took less time than that.
  speeds.accepted = bytes < probed_ ? accepted : std::max(accepted, speeds.accepted);
  // It takes more than what direct writes had when they were last tried.
  device_speeds::wait& known = speeds.by(way::direct);
  if (known.bytes > 0 && 1 / speeds.accepted < known.seconds_per_byte / 2) known = {};
  phase_ = phase::settled;
  const step next = consider_direct(now, speeds, sharers, false);
  if (next == step::change) return next;
  // Only what is still to be written keeps it from changing: that becomes less while the device takes more than the
  // page cache.
  const double cost = as_number(std::min(dirty_, memory_bytes)) * writeback_call;
  const double gain = expected_gain(speeds, sharers);
  if (gain < required_gain(worth_exploring) && (gain < least_gain || !can_afford(cost, now))) return next;
  phase_ = phase::probing;
  return bytes < probed_ ? step::go_on : step::start_writeback;
}

void switching::changed(double asked, double now) noexcept {
  now_by_ = other_way(now_by_);
  phase_ = reason_ == change_reason::look_failed || reason_ == change_reason::forced ? phase::settled : phase::trying;
  if (reason_ == change_reason::look) regret_ += now - asked;
  ++changes_;
  last_change_ = now;
  dirty_ = stayed_ = window_ = 0;
  wait_ = usual_wait_ = window_waited_ = 0;
  window_begin_ = now;
}

step switching::ask(change_reason why, double now) noexcept {
  if (changes_ >= free_changes && now - last_change_ < least_distance) return step::go_on;
  reason_ = why;
  return step::change;
}

// Whether what is gained on as many bytes as were written so far outweighs the wait for what is still to be written
// back: of files that have grown to a size, half get twice as large.
bool switching::pays(const device_speeds& speeds, unsigned sharers) const noexcept {
  const double gained = expected_wait(way::cached, speeds, sharers) - expected_wait(way::direct, speeds, sharers);
  return gained * as_number(bytes_) > switching_cost(speeds);
}

// Seconds until the device has what the page cache may still have to write.
double switching::switching_cost(const device_speeds& speeds) const noexcept {
  return as_number(dirty_) / (speeds.accepted > 0 ? speeds.accepted : usual_device);
}

bool switching::can_afford(double cost, double now) const noexcept {
  return regret_ + cost <= regret_share * (now - setup_.begin);
}

bool switching::is_time_to_look(double cost, double now) const noexcept {
  return now >= next_look_ && can_afford(cost, now);
}

void switching::put_off(double now) noexcept {
  next_look_ = now + interval_;
  interval_ = std::min(2 * interval_, longest_interval);
}

bool switching::is_as_promised(double now) const noexcept {
  if (std::isinf(setup_.expected)) return true;
  return setup_.expected > 0 && as_number(bytes_) >= setup_.expected * (now - setup_.begin);
}

}  // namespace freshet::detail
