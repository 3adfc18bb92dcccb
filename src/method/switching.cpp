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
    case change_reason::refused:
      return "the system refused direct I/O";
    case change_reason::in_cache:
      return "the page cache holds what follows";
    case change_reason::not_in_cache:
      return "the page cache does not hold what follows";
    case change_reason::forced:
      break;
  }
  return "forced";
}

bool switching::count(std::uint64_t bytes, double waited) noexcept {
  bytes_ += bytes;
  stayed_ += bytes;
  window_ += bytes;
  window_waited_ += waited;
  if (now_by_ == way::cached && setup_.durability != durability::each_write) dirty_ += bytes;
  return window_ >= (phase_ == phase::probing ? probe_bytes : sample_bytes);
}

step switching::decide(double now, device_speeds& speeds, writers_at_once writers, bool may_explore) noexcept {
  close_window(now, speeds, writers);
  if (gave_up_ || bytes_ < worth_exploring) return step::go_on;
  if (phase_ == phase::probing) return step::count_written;
  probed_ = probed_done_ = 0;  // the device has had time for the rest
  if (phase_ == phase::trying) return judge_trial(now, speeds, writers);
  // Even a way without any wait would not be worth a change.
  if (wait_ + own_time_ < least_gain * own_time_ || is_as_promised(now)) return step::go_on;
  if (stayed_ < bytes_ / shortest_stay) return step::go_on;
  return now_by_ == way::cached ? consider_direct(now, speeds, writers, may_explore)
                                : consider_cached(now, speeds, writers, may_explore);
}

// Brings the averages up to date.
void switching::close_window(double now, device_speeds& speeds, writers_at_once writers) noexcept {
  const double bytes = as_number(window_);
  const double weight = bytes / as_number(std::min(stayed_, memory_bytes));
  const double own_time = std::max(0.0, now - window_begin_ - window_waited_);
  wait_ += (window_waited_ / bytes - wait_) * weight;
  own_time_ += (own_time / bytes - own_time_) * weight;
  usual_wait_ += (window_waited_ / bytes - usual_wait_) * bytes / as_number(stayed_);
  if (shows_its_way(writers)) speeds.by(now_by_) = {wait_ / writers.same_way, std::min(stayed_, memory_bytes)};
  const double saved = window_waited_ - expected_wait(other_way(now_by_), speeds, writers) * bytes;
  missed_ = std::max(0.0, missed_ + saved);
  window_ = 0;
  window_waited_ = 0;
  window_begin_ = now;
}

// While most files go the other way, they take this one's processors and memory, and soon change for the same reasons.
// Only a look is always alone.
bool switching::shows_its_way(writers_at_once writers) const noexcept {
  return 2 * writers.same_way >= writers.all || (phase_ == phase::trying && reason_ == change_reason::look);
}

// Seconds per byte that the program would wait if all files went that way, as far as it is known.
double switching::expected_wait(way which, const device_speeds& speeds, writers_at_once writers) const noexcept {
  const double device = std::max(0.0, writers.all / (speeds.accepted > 0 ? speeds.accepted : usual_device) - own_time_);
  const way_speeds::wait& known = speeds.by(which);
  if (which == way::direct && known.bytes == 0) return device;
  const double wait = known.seconds_per_byte * writers.all;
  // Bytes that are to be on the device in the end wait for it sooner or later.
  return which == way::cached && setup_.durability == durability::at_close ? std::max(wait, device) : wait;
}

// Times as fast as now that the program would go on by the other way.
double switching::expected_gain(const device_speeds& speeds, writers_at_once writers) const noexcept {
  return (expected_wait(now_by_, speeds, writers) + own_time_) /
         std::max(expected_wait(other_way(now_by_), speeds, writers) + own_time_, 1e-15);
}

step switching::judge_trial(double now, const device_speeds& speeds, writers_at_once writers) noexcept {
  if (!shows_its_way(writers) && stayed_ < longest_trial) return step::go_on;
  // The first bytes after a change that had evidence may have met its own traces.
  if (reason_ != change_reason::look && stayed_ < worth_exploring) return step::go_on;
  const std::uint64_t shown = std::min(stayed_, speeds.by(other_way(now_by_)).bytes);
  if (shown > 0 && expected_gain(speeds, writers) >= required_gain(shown)) {
    const double other = expected_wait(other_way(now_by_), speeds, writers);
    regret_ += std::max(0.0, wait_ - other) * as_number(stayed_);
    put_off(now);
    return ask(change_reason::look_failed, now);
  }
  if (stayed_ < memory_bytes) return step::go_on;
  put_off(now);
  // What was only tried has to be better.
  if (reason_ == change_reason::look && shown > 0 && expected_gain(speeds, writers) > 1)
    return ask(change_reason::look_failed, now);
  phase_ = phase::settled;
  return step::go_on;
}

step switching::consider_direct(double now, const device_speeds& speeds, writers_at_once writers,
                                bool may_explore) noexcept {
  const bool is_known = speeds.by(way::direct).bytes > 0;
  const bool is_probed = speeds.accepted > 0 && setup_.durability != durability::each_write;
  const double gain = expected_gain(speeds, writers);
  is_change_likely_ = gain >= clear_gain;
  if (is_known || is_probed) {
    const std::uint64_t shown =
        is_known ? speeds.by(way::direct).bytes : std::max(worth_exploring, speeds.accepted_bytes);
    is_sure_ = gain >= required_gain(std::min(stayed_, shown));
    const double cost = switching_cost(speeds);
    // Once as much was missed as the change costs, waiting longer could at best save half of both.
    const double bearable = std::max(gain >= clear_gain ? missed_ : 0, change_share * (now - setup_.begin));
    const bool is_cheap = is_sure_ ? cost <= bearable : can_afford(cost, now);
    if (gain >= least_gain && is_cheap && pays(speeds, writers))
      return ask(!is_sure_  ? change_reason::look
                 : is_known ? change_reason::known_faster
                            : change_reason::faster_device,
                 now);
    if (is_sure_ && may_explore && is_worth_writing_back(gain, now)) return step::start_writeback;
  }
  if (!may_explore) return step::go_on;
  // Each write waits for the device already: nothing is left to write back, and a look costs little.
  if (setup_.durability == durability::each_write)
    return !is_known || is_time_to_look(wait_ * as_number(sample_bytes), now) ? ask(change_reason::look, now)
                                                                              : step::go_on;
  const bool promises = !is_known && !is_probed && gain >= least_gain;
  if (!promises && !is_time_to_look(writeback_cost(), now)) return step::go_on;
  put_off(now);
  return step::start_writeback;
}

step switching::consider_cached(double now, const device_speeds& speeds, writers_at_once writers,
                                bool may_explore) noexcept {
  const way_speeds::wait& known = speeds.by(way::cached);
  if (known.bytes > 0 && stayed_ >= worth_exploring &&
      expected_gain(speeds, writers) >= required_gain(std::min(stayed_, known.bytes)))
    return ask(change_reason::known_faster, now);
  if (!may_explore) return step::go_on;
  const double expected = known.bytes > 0 ? expected_wait(way::cached, speeds, writers) : 2 * wait_;
  const double cost = std::max(0.0, expected - wait_) * as_number(sample_bytes);
  // A rate that is halved may be the device's own, or a reason to look sooner.
  const bool is_halved = wait_ > 2 * usual_wait_;
  if (!is_time_to_look(cost, now) && !(is_halved && can_afford(cost, now))) return step::go_on;
  return ask(change_reason::look, now);
}

void switching::writeback_started(std::uint64_t bytes, std::uint64_t left, double begin, double now) noexcept {
  phase_ = phase::probing;
  dirty_ = left;
  probed_ = bytes;
  probed_done_ = 0;
  probed_since_ = begin;
  window_begin_ = now;  // the call is not the program's own time
  regret_ += now - begin;
}

step switching::written_back(std::uint64_t bytes, double now, device_speeds& speeds, writers_at_once writers) noexcept {
  constexpr double longest_probe = 0.25;  // seconds
  const double seconds = now - probed_since_;
  const std::uint64_t done = bytes - std::min(bytes, std::exchange(probed_done_, bytes));
  speeds.accepted_bytes = std::min(speeds.accepted_bytes + done, memory_bytes);
  if (bytes < std::min(probed_, worth_exploring) / 4 && seconds < longest_probe) return step::go_on;
  const double accepted = as_number(std::max(bytes, probe_bytes / 4)) / std::max(seconds, 1e-6);
  // What was complete before anybody looked took less time than that.
  speeds.accepted = bytes < probed_ ? accepted : std::max(accepted, speeds.accepted);
  // It takes more than what direct writes had when they were last tried.
  way_speeds::wait& known = speeds.by(way::direct);
  if (known.bytes > 0 && 1 / speeds.accepted < known.seconds_per_byte / 2) known = {};
  phase_ = phase::settled;
  const step next = consider_direct(now, speeds, writers, false);
  if (next == step::change) return next;
  // Only what is still to be written keeps it from changing: that becomes less while the device takes more than the
  // page cache.
  if (!is_worth_writing_back(expected_gain(speeds, writers), now)) return next;
  phase_ = phase::probing;
  return bytes < probed_ ? step::go_on : step::start_writeback;
}

void switching::changed(double asked, double now) noexcept {
  now_by_ = other_way(now_by_);
  const bool is_trial =
      reason_ != change_reason::look_failed && reason_ != change_reason::refused && reason_ != change_reason::forced;
  phase_ = is_trial ? phase::trying : phase::settled;
  if (reason_ == change_reason::look) regret_ += now - asked;
  // What was left was just measured.
  if (phase_ == phase::trying) next_look_ = std::max(next_look_, now + interval_);
  ++changes_;
  last_change_ = now;
  dirty_ = probed_ = probed_done_ = stayed_ = window_ = 0;
  is_sure_ = is_change_likely_ = false;
  wait_ = usual_wait_ = missed_ = window_waited_ = 0;
  window_begin_ = now;
}

step switching::ask(change_reason why, double now) noexcept {
  if (changes_ >= free_changes && now - last_change_ < least_distance) return step::go_on;
  reason_ = why;
  return step::change;
}

// Whether what is gained on as many bytes as were written so far outweighs the wait for what is still to be written
// back: of files that have grown to a size, half get twice as large.
bool switching::pays(const device_speeds& speeds, writers_at_once writers) const noexcept {
  const double gained = expected_wait(way::cached, speeds, writers) - expected_wait(way::direct, speeds, writers);
  return gained * as_number(bytes_) > switching_cost(speeds);
}

// Seconds until the device has what the page cache may still have to write.
double switching::switching_cost(const device_speeds& speeds) const noexcept {
  return as_number(dirty_ + probed_ - probed_done_) / (speeds.accepted > 0 ? speeds.accepted : usual_device);
}

// Whether to have bytes written back that alone keep the file from changing its way.
bool switching::is_worth_writing_back(double gain, double now) const noexcept {
  if (gain >= clear_gain) return true;
  return gain >= least_gain && can_afford(writeback_cost(), now);
}

// Seconds that the call takes which starts to write back.
double switching::writeback_cost() const noexcept {
  return as_number(std::min(dirty_, most_to_write_back())) * writeback_call;
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
