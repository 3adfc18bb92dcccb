#include "src/method/way_rule.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace freshet::detail {

double last_few::median() const noexcept {
  if (count_ == 0) return 0;
  const auto size = static_cast<std::ptrdiff_t>(std::min(count_, values_.size()));
  auto sorted = values_;
  const auto middle = sorted.begin() + (size - 1) / 2;  // of two the less: the first meets cold memory
  std::nth_element(sorted.begin(), middle, sorted.begin() + size);
  return *middle;
}

double last_few::mean() const noexcept {
  const auto size = static_cast<std::ptrdiff_t>(std::min(count_, values_.size()));
  return size == 0 ? 0 : std::accumulate(values_.begin(), values_.begin() + size, 0.0) / static_cast<double>(size);
}

way way_rule::count(std::uint64_t bytes, double waited, double now, std::uint64_t unwritten) noexcept {
  sample_own_ += std::max(0.0, now - last_ - waited);
  last_ = now;
  sample_ += bytes;
  sample_waited_ += waited;
  if (sample_ >= sample_bytes) close_sample(now, unwritten);
  return in_use_;
}

void way_rule::close_sample(double now, std::uint64_t unwritten) noexcept {
  const auto bytes = static_cast<double>(sample_);
  all_ += std::exchange(sample_, 0);
  const double waited = std::exchange(sample_waited_, 0);
  const double own = std::exchange(sample_own_, 0);
  own_times_.add(own / bytes);
  own_ = own_times_.median();
  elapsed_ += own_ * bytes + waited;
  state& here = at(in_use_);
  const double seconds = overlaps(in_use_) ? waited + own : waited;
  here.waits.add(seconds / bytes);
  here.bytes += bytes;
  here.seconds += seconds;
  here.squares += seconds * seconds / bytes;
  if (probes_) {
    probe_cost_ += waited - wait(before_) * bytes;
    return judge_probe();
  }
  const way other = best_other(now);
  const double wanted = overlaps(in_use_) ? least_gain_from_past : least_gain;
  if (other != in_use_ && is_slower(wanted, other)) leave(other, now, unwritten);
  if (may_probe(now)) begin_probe(now);
}

void way_rule::begin_probe(double now) noexcept {
  next_probe_ = now + interval_;
  interval_ = std::min(2 * interval_, longest_interval);
  most_cost_ = cost_allowed();
  probe_cost_ = 0;
  before_ = in_use_;
  change(next_probed(), change_reason::probe);
  probes_ = true;
}

// The first samples of a probe still show what was before: no pages to use again yet, or some that are left.
void way_rule::judge_probe() noexcept {
  const bool has_lost = is_slower(1, before_) || probe_cost_ > most_cost_;
  if (!has_lost && at(in_use_).waits.count() < probe_samples) return;
  probes_ = false;
  const double wanted = in_use_ == way::kept ? 1 : least_gain;
  if (!has_lost && cost(before_) >= wanted * cost(in_use_)) {
    interval_ = first_interval;
    if (reads() && in_use_ == way::past) next_probe_ = last_ + longest_interval;
    return;
  }
  regret_ += std::max(0.0, probe_cost_);
  most_wait_ = most_patience * cost(before_) * static_cast<double>(probe_samples * sample_bytes);
  change(before_, change_reason::probe_failed);
}

void way_rule::leave(way next, double now, std::uint64_t unwritten) noexcept {
  if (next == way::past && !reads()) return catch_up_or_go_past(now, unwritten);
  next_probe_ = now + (reads() ? longest_interval : first_interval);
  if (overlaps(in_use_)) next_past_ = now + longest_interval;
  change(next, change_reason::known_faster);
}

// Direct writes go on while the program works, but only once it has waited for the device. From the page cache, the
// device gets what it lacks while the program goes on: that takes as many bytes behind the cursor as the device leaves
// time for, and pays, in a file that becomes twice as long, from the harmonic mean of both costs on.
void way_rule::catch_up_or_go_past(double now, std::uint64_t unwritten) noexcept {
  const double wait_for_it = cost(way::past) * static_cast<double>(unwritten);
  const double until_it_pays = wait_for_it / (likely_growth * static_cast<double>(all_));
  const double behind = is_known(way::behind) ? cost(way::behind) : cost(way::kept) + setup_.usual_cost;
  if (in_use_ == way::kept && cost(way::kept) * (1 / behind + 1 / cost(way::past)) >= 2) {
    change(way::behind, change_reason::device_faster);
  } else if (cost(in_use_) >= least_gain * (cost(way::past) + until_it_pays)) {
    most_wait_ = std::min(most_patience * wait_for_it, elapsed_ / 2);
    change(way::past, change_reason::device_faster);
  } else {
    return;
  }
  next_probe_ = now + longest_interval;
}

way way_rule::best_other(double now) const noexcept {
  way best = in_use_;
  for (const way each : all_ways) {
    if (each == in_use_ || !is_known(each) || (each == way::past && now < next_past_)) continue;
    if (best == in_use_ || cost(each) < cost(best)) best = each;
  }
  return best;
}

way way_rule::know(const measured_ways& known) noexcept {
  if (std::exchange(probes_, false)) change(before_, change_reason::probe_failed);
  double here = is_known(in_use_) ? cost(in_use_) : 0;
  for (const way each : all_ways) {
    const way_figure& figure = figure_of(known, each);
    if (figure.seconds_per_byte == 0) continue;
    // A way is left only if the file itself has found it slow, too.
    const double known_cost = own_ + figure.seconds_per_byte;
    if (each == in_use_) here = here == 0 ? known_cost : std::min(here, known_cost);
    const bool is_seen = each == in_use_ && figure.spread > most_trusted_spread;
    if (is_seen || at(each).waits.count() >= least_samples) continue;
    at(each).waits.clear();
    at(each).waits.add(figure.seconds_per_byte);
  }
  const way other = best_other(last_);
  const way best = other != in_use_ && here >= least_gain * cost(other) ? other : in_use_;
  if (best == way::past) next_probe_ = last_ + first_past_probe;
  if (best == in_use_) return in_use_;
  most_wait_ = std::max(least_patience, most_patience * known.past.seconds_per_byte * static_cast<double>(all_));
  change(best, change_reason::known_faster);
  return in_use_;
}

bool way_rule::may_probe(double now) const noexcept {
  // Where the program hardly waits, nothing is to be gained.
  if (wait(in_use_) <= regret_share * own_ || now < next_probe_) return false;
  const state& other = at(next_probed());
  const double unseen = in_use_ == way::kept ? setup_.usual_cost : 0;
  const double loss = other.bytes > 0 ? std::max(0.0, other.seconds / other.bytes - wait(in_use_)) : unseen;
  return loss * probe_samples * sample_bytes < cost_allowed();
}

// Seconds that a probe may cost: a share of what the file takes, as far as that is known.
double way_rule::cost_allowed() const noexcept {
  const double until_probe_ends = elapsed_ + cost(in_use_) * probe_samples * sample_bytes;
  return regret_share * std::max(until_probe_ends, cost(in_use_) * static_cast<double>(setup_.size)) - regret_;
}

void way_rule::change(way next, change_reason why) noexcept {
  // What a way took before is over, but for the one that a probe interrupted.
  if (why != change_reason::probe_failed) at(next).waits.clear();
  reason_ = why;
  in_use_ = next;
}

void way_rule::learn_device(double seconds) noexcept {
  at(way::past).waits.clear();
  at(way::past).waits.add(seconds);
}

void way_rule::past_begins(double waited, double now) noexcept {
  last_ = now;
  at(way::kept).seconds += waited;
}

void way_rule::abandon_past(bool may_retry, double now) noexcept {
  next_past_ = may_retry ? now + longest_interval : std::numeric_limits<double>::infinity();
  at(way::past).waits.clear();
  change(way::behind, change_reason::probe_failed);
}

measured_ways way_rule::figures() const noexcept {
  measured_ways all;
  for (const way each : all_ways) {
    const state& of = at(each);
    if (of.bytes == 0) continue;
    const double mean = of.seconds / of.bytes;
    const double variance = std::max(0.0, of.squares / of.bytes - mean * mean);
    figure_of(all, each) = {mean, mean > 0 ? std::sqrt(variance) / mean : 0, static_cast<std::uint64_t>(of.bytes)};
  }
  return all;
}

}  // namespace freshet::detail
