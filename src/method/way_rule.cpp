#include "src/method/way_rule.hpp"

#include <cmath>
#include <utility>

namespace freshet::detail {

double last_few::median() const noexcept {
  auto sorted = values_;
  const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(size());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(size() / 2);
  if (end == sorted.begin()) return 0;
  std::nth_element(sorted.begin(), middle, end);
  return *middle;
}

void excess::add(double waited, double limit, std::uint64_t bytes) noexcept {
  sum_ += waited - limit;
  if (sum_ <= 0) return void(*this = {});
  waited_ += waited;
  bytes_ += bytes;
  if (waited > limit) slow_bytes_ += bytes;
}

way_figure way_rule::total::figure() const noexcept {
  if (bytes == 0) return {};
  const double mean = seconds / bytes;
  const double variance = std::max(0.0, squares / bytes - mean * mean);
  return {mean, mean > 0 ? std::sqrt(variance) / mean : 0, static_cast<std::uint64_t>(bytes)};
}

way_rule::way_rule(const setup& how) noexcept
    : setup_{how},
      in_use_{how.first},
      next_probe_{how.begin + how.first_probe},
      next_past_{how.begin},
      next_sample_{how.begin},
      last_{how.begin} {}

way way_rule::count(std::uint64_t bytes, double waited, double now, std::uint64_t unwritten) noexcept {
  const auto length = static_cast<double>(bytes);
  window_own_ += std::max(0.0, now - last_ - waited);
  last_ = now;
  window_ += bytes;
  window_waited_ += waited;
  if (const way other = best_beside(in_use_, now); other != in_use_)
    over_other_.add(waited, (least_gain * cost(other) - own_) * length, bytes);
  if (probes_) probe_cost_ += waited - wait(before_) * length;
  if (window_ >= window_bytes || is_slow_already()) close_window(now, unwritten);
  return in_use_;
}

bool way_rule::is_slow_already() const noexcept { return is_too_slow() && (!probes_ || probe_cost_ > most_cost_); }

void way_rule::close_window(double now, std::uint64_t unwritten) noexcept {
  const auto bytes = static_cast<double>(window_);
  all_ += std::exchange(window_, 0);
  const double waited = std::exchange(window_waited_, 0);
  const double own = std::exchange(window_own_, 0);
  own_times_.add(own / bytes);
  own_ = own_times_.median();
  elapsed_ += own_ * bytes + waited;
  at(in_use_).waits.add(waited / bytes);
  total& sum = at(in_use_).total;
  const double seconds = in_use_ == way::past && !reads() ? waited + own : waited;
  sum.bytes += bytes;
  sum.seconds += seconds;
  sum.squares += seconds * seconds / bytes;
  if (probes_) {
    if (waited / bytes > wait(before_)) ++lost_;
    judge_probe();
  } else if (is_too_slow()) {
    leave(now, unwritten);
  } else if (may_probe(now)) {
    begin_probe(now);
  }
}

void way_rule::begin_probe(double now) noexcept {
  next_probe_ = now + interval_;
  interval_ = std::min(2 * interval_, longest_interval);
  most_cost_ = cost_allowed();
  lost_ = 0;
  probe_cost_ = 0;
  before_ = in_use_;
  change(next_probed(), change_reason::probe);
  probes_ = true;
}

// The first windows of a probe still show what was before: no pages to use again yet, or some that are left.
void way_rule::judge_probe() noexcept {
  const bool has_lost = lost_ >= most_lost || probe_cost_ > most_cost_;
  if (!has_lost && at(in_use_).waits.size() < probe_windows) return;
  probes_ = false;
  const double wanted = in_use_ == way::kept ? 1 : least_gain;
  if (!has_lost && cost(before_) >= wanted * cost(in_use_)) {
    interval_ = first_interval;
    next_probe_ = std::max(next_probe_, last_ + (reads() && in_use_ == way::past ? longest_interval : 0));
    return;
  }
  regret_ += std::max(0.0, probe_cost_);
  most_wait_ = most_patience * cost(before_) * static_cast<double>(probe_windows * window_bytes);
  change(before_, change_reason::probe_failed);
}

// What made the file leave is what the way is judged by from now on.
void way_rule::leave(double now, std::uint64_t unwritten) noexcept {
  const double seen = std::exchange(over_other_, {}).mean();
  const way left = in_use_;
  const way other = best_beside(in_use_, now);
  if (other == way::past && !reads()) return catch_up_or_go_past(now, unwritten);
  next_probe_ = now + first_interval;
  if (left == way::past) next_past_ = now + longest_interval;
  change(other, change_reason::known_faster);
  at(left).waits.clear();
  at(left).waits.add(seen);
}

// Direct writes go on while the program works, but only once it has waited for the device. Where that does not pay yet,
// the device gets what it lacks while the program goes on.
void way_rule::catch_up_or_go_past(double now, std::uint64_t unwritten) noexcept {
  const double wait_for_it = cost(way::past) * static_cast<double>(unwritten);
  const double until_it_pays = wait_for_it / (likely_growth * static_cast<double>(all_));
  if (cost(in_use_) >= least_gain * (cost(way::past) + until_it_pays)) {
    most_wait_ = std::min(most_patience * wait_for_it, elapsed_ / 2);
    change(way::past, change_reason::device_faster);
  } else if (in_use_ == way::kept && cost(way::behind) <= most_catch_up_cost * cost(way::kept)) {
    change(way::behind, change_reason::device_faster);
  } else {
    return;
  }
  next_probe_ = now + longest_interval;
}

way way_rule::best_beside(way one, double now) const noexcept {
  way best = one;
  for (const way each : {way::kept, way::behind, way::past}) {
    const bool is_open = each != way::past || (!is_past_refused_ && now >= next_past_);
    if (each == one || !is_open || !is_known(each)) continue;
    if (best == one || cost(each) < cost(best)) best = each;
  }
  return best;
}

way way_rule::know(const measured_ways& known) noexcept {
  constexpr double steady = 0.25;  // of spread, from which on the file's own figures count soon
  const way left = probes_ ? before_ : in_use_;
  double here = is_known(left) ? cost(left) : 0;
  for (const auto& [each, figure] :
       {std::pair{way::kept, known.kept}, std::pair{way::behind, known.behind}, std::pair{way::past, known.past}}) {
    if (figure.seconds_per_byte == 0) continue;
    const double waits =
        each == way::past && !reads() ? std::max(0.0, figure.seconds_per_byte - own_) : figure.seconds_per_byte;
    // A way is left only if the file itself has found it slow, too.
    if (each == left) {
      here = here == 0 ? own_ + waits : std::min(here, own_ + waits);
    } else if (at(each).waits.size() < probe_windows) {
      at(each).waits.clear();
      for (int times = figure.spread < steady ? 3 : 1; times > 0; --times) at(each).waits.add(waits);
    }
  }
  // What is known need not be found out at once.
  if (is_known(next_probed())) next_probe_ = std::max(next_probe_, last_ + known_wait);
  if (is_known(way::past)) next_sample_ = std::max(next_sample_, last_ + known_wait);
  const way best = best_beside(left, last_);
  if (best == in_use_ || best == left || here < least_gain * cost(best)) return in_use_;
  probes_ = false;
  if (best == way::past) {
    next_probe_ = last_ + longest_interval;
    most_wait_ =
        std::max(most_excess_of_device, most_patience * known.past.seconds_per_byte * static_cast<double>(all_));
  }
  change(best, change_reason::known_faster);
  return in_use_;
}

bool way_rule::may_probe(double now) const noexcept {
  // Where the program hardly waits, nothing is to be gained.
  if (!is_waited_for() || now < next_probe_) return false;
  const way other = next_probed();
  const double unseen = in_use_ == way::kept ? setup_.usual_cost : 0;
  const double loss = at(other).total.bytes > 0 ? std::max(0.0, wait(other) - wait(in_use_)) : unseen;
  return loss * probe_windows * window_bytes < cost_allowed();
}

// Seconds that a probe may cost: a share of what the file takes, as far as that is known.
double way_rule::cost_allowed() const noexcept {
  const double until_probe_ends = elapsed_ + cost(in_use_) * probe_windows * window_bytes;
  return regret_share * std::max(until_probe_ends, cost(in_use_) * static_cast<double>(setup_.size)) - regret_;
}

void way_rule::change(way next, change_reason why) noexcept {
  reason_ = why;
  in_use_ = next;
  at(next).waits.clear();
  over_other_ = {};
}

bool way_rule::begins_sample(double now) noexcept {
  const bool is_wanted = in_use_ == way::kept && !is_past_refused_ && is_waited_for();
  if (!is_wanted || all_ < first_sample_at || now < next_sample_) return false;
  next_sample_ = now + longest_interval;
  return true;
}

void way_rule::learn_device(double seconds) noexcept {
  at(way::past).waits.clear();
  at(way::past).waits.add(std::max(0.0, seconds - own_));
}

void way_rule::past_begins(double waited, double now) noexcept {
  last_ = now;
  at(way::kept).total.seconds += waited;
}

void way_rule::abandon_past(bool may_retry, double now) noexcept {
  is_past_refused_ = !may_retry;
  next_past_ = now + longest_interval;
  at(way::past).waits.clear();
  change(way::behind, change_reason::probe_failed);
}

}  // namespace freshet::detail
