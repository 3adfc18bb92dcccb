#include "src/method/change_rule.hpp"

#include <algorithm>
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

bool change_rule::count(std::uint64_t bytes, double waited, double now) noexcept {
  window_own_ += std::max(0.0, now - last_ - waited);
  last_ = now;
  sample_ += bytes;
  sample_waited_ += waited;
  if (sample_ < sample_bytes) return false;
  window_ += sample_;
  all_ += sample_;
  window_waited_ += sample_waited_;
  samples_.add(std::exchange(sample_waited_, 0) / static_cast<double>(std::exchange(sample_, 0)));
  return (window_ >= window_bytes || is_slow_already()) && close_window(now);
}

// Whether a look has cost what it may, or slow windows in a row have, this one included, which more than one of its
// samples show.
bool change_rule::is_slow_already() const noexcept {
  if (other_waits().size() == 0) return false;
  if (cut_wait_ > 0) return samples_.size() >= least_samples && samples_.median() >= cut_wait_;
  const double more = window_waited_ - other_waits().median() * static_cast<double>(window_);
  if (looks_ && look_cost_ + more > most_cost_) return true;
  return samples_.size() >= least_samples && slow_cost_ + more > most_slow_cost;
}

bool change_rule::close_window(double now) noexcept {
  const auto bytes = static_cast<double>(std::exchange(window_, 0));
  const double waited = std::exchange(window_waited_, 0);
  const double sample = samples_.median();
  samples_.clear();
  own_times_.add(std::exchange(window_own_, 0) / bytes);
  own_time_ = own_times_.median();
  elapsed_ += own_time_ * bytes + waited;
  waits().add(waited / bytes);
  // By the steady way some samples take longer than others: those with a call that starts or awaits a transfer. Through
  // the page cache they do not, unless a call was interrupted.
  now_waits_ = steady_ ? waits().median() : std::max(sample, waits().median());
  if (looks_) {
    const double before = other_waits().median();
    look_cost_ += waited - before * bytes;
    if (gain(steady_ ? waited / bytes : sample, before) > 1) ++slow_windows_;
    return judge_look();
  }
  repeat_cut_look(sample, now);
  // Only the steady way is known to be as fast as it was before.
  if (!steady_ && steady_waits_.size() > 0 && is_slower_than_known(waited, bytes)) {
    regret_ += slow_cost_;
    next_look_ = now + first_interval;
    return change(change_reason::known_faster);
  }
  if (!may_look(now)) return false;
  next_look_ = now + interval_;
  interval_ = std::min(2 * interval_, longest_interval);
  looks_ = true;
  most_cost_ = cost_allowed();
  slow_windows_ = 0;
  look_cost_ = 0;
  return change(change_reason::look);
}

// Others may keep the memory busy for a moment, which a change would cost more than.
bool change_rule::is_slower_than_known(double waited, double bytes) noexcept {
  const double known = steady_waits_.median();
  const bool is_slow = gain(now_waits_, known) >= least_gain;
  slow_cost_ = is_slow ? slow_cost_ + std::max(0.0, waited - known * bytes) : 0;
  const bool stays_slow = waits().size() == look_bytes / window_bytes && gain(waits().median(), known) >= least_gain;
  return stays_slow || slow_cost_ >= most_slow_cost;
}

// The first windows of a look still show what was before: no pages to use again yet, or some that are left.
bool change_rule::judge_look() noexcept {
  const bool is_slow = slow_windows_ >= most_slow_windows || look_cost_ > most_cost_;
  if (!is_slow && waits().size() < look_bytes / window_bytes) return false;
  looks_ = false;
  const bool is_better = gain(other_waits().median(), waits().median()) >= (steady_ ? least_gain : 1);
  if (!is_slow && is_better) {
    if (steady_) next_look_ = std::max(next_look_, changed_ + setup_.least_stay);
    return false;
  }
  regret_ += std::max(0.0, look_cost_);
  if (look_cost_ > most_cost_) cut_wait_ = (waits().median() + other_waits().median()) / 2;
  return change(change_reason::look_failed);
}

// A look was ended for its cost, but now the way before is as slow as the look rather than as it was: what both need
// became slow just then, so the look showed nothing and cost nothing.
void change_rule::repeat_cut_look(double sample, double now) noexcept {
  const double slow = std::exchange(cut_wait_, 0);
  if (slow == 0 || sample < slow) return;
  regret_ -= std::max(0.0, look_cost_);
  next_look_ = now;
}

bool change_rule::may_look(double now) const noexcept {
  // Where the program hardly waits, nothing is to be gained.
  if (!is_waited_for()) return false;
  const bool is_known = other_waits().size() > 0;
  const bool was_faster = is_known && gain(now_waits_, other_waits().median()) >= least_gain;
  if (now < (was_faster ? std::min(next_look_, changed_ + first_interval) : next_look_)) return false;
  const double loss = is_known ? std::max(0.0, other_waits().median() - now_waits_) : steady_ ? 0 : setup_.usual_cost;
  return loss * most_look_bytes() < cost_allowed();
}

// Seconds that a look may cost: a share of what the file takes, as far as that is known.
double change_rule::cost_allowed() const noexcept {
  const double for_byte = own_time_ + now_waits_;
  const double until_look_ends = elapsed_ + for_byte * most_look_bytes();
  return regret_share * std::max(until_look_ends, for_byte * static_cast<double>(setup_.size)) - regret_;
}

double change_rule::most_look_bytes() const noexcept {
  return static_cast<double>(steady_ ? most_slow_windows * window_bytes : look_bytes);
}

bool change_rule::is_settled() const noexcept {
  return !looks_ && waits().size() >= (steady_ ? look_bytes / window_bytes : 1);
}

void change_rule::go_steady(double now) noexcept {
  last_ = now;
  next_look_ = now + longest_interval;
  cut_wait_ = 0;
  if (steady_)
    steady_waits_.clear();
  else
    change(change_reason::device_faster);
  changed_ = now;
}

bool change_rule::change(change_reason why) noexcept {
  reason_ = why;
  // What made the file leave is what the other way is judged by. A look was made to begin by nothing.
  const double seen = why == change_reason::look ? waits().median() : now_waits_;
  waits().clear();
  waits().add(seen);
  steady_ = !steady_;
  waits().clear();
  slow_cost_ = 0;
  changed_ = last_;
  return true;
}

double change_rule::gain(double slow, double fast) const noexcept {
  return (own_time_ + slow) / std::max(own_time_ + fast, 1e-15);
}

}  // namespace freshet::detail
