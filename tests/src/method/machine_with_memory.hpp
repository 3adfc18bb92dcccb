// A machine that is only simulated, at the os seam.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <system_error>

#include "src/method/prior.hpp"
#include "src/os/interceptor.hpp"
#include "tests/support/simulated_clock.hpp"

namespace freshet::test {

/// A page cache that is quick for memory that was given back, and slow for any other, on a clock of its own. What is
/// started is on the device at once, but past the page cache that takes time.
class machine_with_memory final : public detail::os::interceptor {
 public:
  /// Bytes per second; `direct` 0: nothing can be written past the page cache.
  explicit machine_with_memory(double other_memory, double direct = 0)
      : other_memory_{other_memory}, direct_{direct}, replaced_{detail::os::intercept(this)} {
    detail::forget_priors();
  }
  machine_with_memory(const machine_with_memory&) = delete;
  machine_with_memory& operator=(const machine_with_memory&) = delete;
  ~machine_with_memory() override { detail::os::intercept(replaced_); }

  [[nodiscard]] static double now() noexcept { return simulated_clock::now(); }
  /// The kernel has no memory for queues.
  void refuse_queues() noexcept { has_queues_ = false; }
  /// Written past the page cache by no queue.
  [[nodiscard]] std::uint64_t direct_bytes() const noexcept { return direct_bytes_; }

  std::error_code before(detail::os::intercepted_call& next) override {
    using detail::os::call;
    constexpr double quick = 5e9;
    if (next.kind == call::set_direct && direct_ == 0) return std::make_error_code(std::errc::invalid_argument);
    if (next.kind == call::set_direct) is_direct_ = !is_direct_;
    const bool is_for_queue = next.kind == call::queue_setup || next.kind == call::submit;
    if (is_for_queue && !has_queues_) return std::make_error_code(std::errc::not_enough_memory);
    if (next.kind == call::submit_write || (next.kind == call::write_at && is_direct_)) {
      clock_.advance(static_cast<double>(next.length) / direct_);
      if (next.kind == call::write_at) direct_bytes_ += next.length;
      return {};
    }
    if (next.kind == call::status) ::fdatasync(next.descriptor);
    if (next.kind == call::advise) given_back_ += next.length;
    if (next.kind != call::write_at) return {};
    const std::uint64_t again = std::min<std::uint64_t>(next.length, given_back_);
    given_back_ -= again;
    clock_.advance(static_cast<double>(again) / quick + static_cast<double>(next.length - again) / other_memory_);
    return {};
  }

 private:
  simulated_clock clock_;
  double other_memory_;
  double direct_;
  bool is_direct_ = false;
  bool has_queues_ = true;
  std::uint64_t given_back_ = 0;
  std::uint64_t direct_bytes_ = 0;
  detail::os::interceptor* replaced_;
};

}  // namespace freshet::test
