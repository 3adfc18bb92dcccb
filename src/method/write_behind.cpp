#include "src/method/write_behind.hpp"

#include <algorithm>
#include <utility>

#include "src/method/steady_seconds.hpp"
#include "src/method/transfer.hpp"

namespace freshet::detail {

void write_behind::follow(std::uint64_t end, double now, std::error_code& error) noexcept {
  const std::uint64_t counted = std::exchange(counted_, 0);
  error.clear();
  if (is_refused_) return;
  advance(end, full_ == when_full::wait ? end : 2 * counted, now, error);
  leave_out_what_is_refused(error);
}

void write_behind::watch(double now, std::error_code& error) noexcept {
  error.clear();
  while (!error && !is_refused_ && is_busy() && is_next_written()) drop_next(now, error);
  leave_out_what_is_refused(error);
}

// What may be left out is left out where the system refuses it. Lost bytes are reported.
void write_behind::leave_out_what_is_refused(std::error_code& error) noexcept {
  if (full_ == when_full::wait || !is_refusal(error)) return;
  is_refused_ = true;
  error.clear();
}

// Starts at most two ranges for each that was written, so that what is left over from before becomes less, but in no
// burst that the program would wait for.
void write_behind::advance(std::uint64_t end, std::uint64_t most, double now, std::error_code& error) noexcept {
  while (!error && is_busy() && is_next_written()) drop_next(now, error);
  for (std::uint64_t begin = started_; !error && started_ + range <= end && started_ - begin < most;) {
    // Where the kernel does not tell what is written, waiting for the oldest bytes shows it.
    if (is_full() && (full_ == when_full::wait || !can_ask_)) drop_next(now, error);
    if (error || is_full()) break;
    start_next(now, error);
  }
}

double write_behind::take_device_seconds() noexcept {
  if (busy_bytes_ < rate_bytes) return 0;
  return std::exchange(busy_seconds_, 0) / static_cast<double>(std::exchange(busy_bytes_, 0));
}

void write_behind::send(std::uint64_t end) noexcept {
  std::error_code ignored;
  uninterrupted(ignored, [&] { file_.start_writeback(started_, end - started_, ignored); });
}

bool write_behind::finish(std::uint64_t end, double most, std::error_code& error) noexcept {
  const double begin = steady_seconds();
  double now = begin;
  uninterrupted(error, [&] { file_.start_writeback(started_, end - started_, error); });
  while (!error && dropped_ < end && now - begin <= most) {
    const std::uint64_t part = std::min(range, end - dropped_);
    uninterrupted(error, [&] { file_.wait_writeback(dropped_, part, error); });
    dropped_ += part;
    now = steady_seconds();
  }
  // Parts end at multiples of a range.
  dropped_ = dropped_ / range * range;
  started_ = std::max(started_, dropped_);
  leave_out_what_is_refused(error);
  return !is_refused_ && now - begin <= most;
}

void write_behind::skip(std::uint64_t end) noexcept { started_ = dropped_ = std::max(started_, end / range * range); }

void write_behind::start_next(double now, std::error_code& error) noexcept {
  if (!is_busy()) busy_since_ = now;
  uninterrupted(error, [&] { file_.start_writeback(started_, range, error); });
  // Waiting for the bytes has them written, too.
  if (full_ == when_full::wait && is_refusal(error)) error.clear();
  started_ += range;
}

// The kernel tells of lost bytes once, to the one who waits for them.
void write_behind::drop_next(double now, std::error_code& error) noexcept {
  const std::uint64_t length = waits_for_all_ && full_ == when_full::wait ? started_ - dropped_ : range;
  if (!is_blind()) {
    busy_seconds_ += now - std::exchange(busy_since_, now);
    busy_bytes_ += length;
    uninterrupted(error, [&] { file_.wait_writeback(dropped_, length, error); });
  }
  if (!error) uninterrupted(error, [&] { file_.advise(os::advice::dont_need, dropped_, length, error); });
  dropped_ += length;
}

bool write_behind::is_next_written() noexcept { return unwritten(dropped_, range) == 0; }

std::optional<std::uint64_t> write_behind::unwritten(std::uint64_t offset, std::uint64_t length) noexcept {
  if (!can_ask_) return {};
  std::error_code error;
  std::uint64_t left = 0;
  uninterrupted(error, [&] { left = file_.unwritten(offset, length, error); });
  if (!error) return left;
  can_ask_ = false;
  waits_for_all_ = os::is_overlay(file_);
  return {};
}

}  // namespace freshet::detail
