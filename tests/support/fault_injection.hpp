// Injects faults: makes chosen calls of the os seam fail, transfer too little or come late, and counts all calls.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <mutex>
#include <random>
#include <system_error>
#include <thread>
#include <vector>

#include "src/os/interceptor.hpp"

namespace freshet::test {

/// One fault and the calls that it affects. Several may be set: a late call can also fail.
struct fault {
  static constexpr std::uint64_t ever = std::numeric_limits<std::uint64_t>::max();

  detail::os::call kind;
  std::uint64_t first = 1;  ///< counted from 1 for each kind, since the injection began
  std::uint64_t last = ever;
  double probability = 1;                                          ///< with which each call from first to last is hit
  std::error_code error{};                                         ///< fails with it
  std::size_t shortest = std::numeric_limits<std::size_t>::max();  ///< moves at least so many bytes …
  std::size_t longest = std::numeric_limits<std::size_t>::max();   ///< … and at most so many
  std::size_t unit = 1;                                            ///< in multiples of it (O_DIRECT), at least one
  std::chrono::milliseconds delay{0};
};

/// Intercepts all calls while it exists. Its functions may be called by other threads than those that make calls.
class fault_injection final : public detail::os::interceptor {
 public:
  explicit fault_injection(std::uint64_t seed = 1) : random_{seed}, replaced_{detail::os::intercept(this)} {}
  ~fault_injection() override { detail::os::intercept(replaced_); }

  void add(const fault& wanted) {
    const std::lock_guard lock{mutex_};
    faults_.push_back(wanted);
  }

  /// Makes the `nth` call of the kind, counted from 1, fail.
  void fail(detail::os::call kind, std::uint64_t nth, std::errc why) { fail(kind, nth, nth, why); }
  /// Makes all calls from the `first` to the `last` one fail.
  void fail(detail::os::call kind, std::uint64_t first, std::uint64_t last, std::errc why) {
    add({.kind = kind, .first = first, .last = last, .error = std::make_error_code(why)});
  }
  void fail_always(detail::os::call kind, std::errc why) { fail(kind, 1, fault::ever, why); }
  /// Makes each call fail with this probability.
  void fail_sometimes(detail::os::call kind, double probability, std::errc why) {
    add({.kind = kind, .probability = probability, .error = std::make_error_code(why)});
  }

  /// Makes the `nth` call transfer at most `length` bytes.
  void shorten(detail::os::call kind, std::uint64_t nth, std::size_t length) {
    add({.kind = kind, .first = nth, .last = nth, .shortest = length, .longest = length});
  }
  /// Makes each call, with this probability, transfer fewer bytes: a multiple of `unit`, at least one.
  void shorten_sometimes(detail::os::call kind, double probability, std::size_t unit = 1) {
    add({.kind = kind, .probability = probability, .shortest = unit, .unit = unit});
  }

  /// Delays the `nth` call.
  void delay(detail::os::call kind, std::uint64_t nth, std::chrono::milliseconds time) {
    add({.kind = kind, .first = nth, .last = nth, .delay = time});
  }

  /// How many calls of the kind there were so far, including failed ones.
  [[nodiscard]] std::uint64_t count(detail::os::call kind) const {
    const std::lock_guard lock{mutex_};
    return counts_[index(kind)];
  }

  /// How many calls there were so far.
  [[nodiscard]] std::uint64_t count_all() const {
    const std::lock_guard lock{mutex_};
    return seen_.size();
  }

  /// All calls of the kind so far, before they were changed.
  [[nodiscard]] std::vector<detail::os::intercepted_call> seen(detail::os::call kind) const {
    const std::lock_guard lock{mutex_};
    std::vector<detail::os::intercepted_call> calls;
    std::ranges::copy_if(seen_, std::back_inserter(calls), [=](const auto& one) { return one.kind == kind; });
    return calls;
  }

  std::error_code before(detail::os::intercepted_call& next) override {
    std::chrono::milliseconds delay{0};
    std::error_code error;
    {
      const std::lock_guard lock{mutex_};
      seen_.push_back(next);
      const std::uint64_t number = ++counts_[index(next.kind)];
      for (const fault& each : faults_) {
        if (!hits(each, next.kind, number)) continue;
        delay += each.delay;
        if (each.error) error = each.error;
        next.length = shortened(each, next.length);
      }
    }
    std::this_thread::sleep_for(delay);
    return error;
  }

 private:
  static std::size_t index(detail::os::call kind) { return static_cast<std::size_t>(kind); }

  bool hits(const fault& each, detail::os::call kind, std::uint64_t number) {
    return each.kind == kind && number >= each.first && number <= each.last &&
           std::bernoulli_distribution{each.probability}(random_);
  }

  std::size_t shortened(const fault& each, std::size_t length) {
    const std::size_t least = std::min(each.shortest, length);
    const std::size_t most = std::min(each.longest, length);
    if (least >= most) return least;
    const std::size_t chosen = std::uniform_int_distribution{least, most}(random_);
    return std::max(chosen / each.unit * each.unit, least);
  }

  mutable std::mutex mutex_;
  std::mt19937_64 random_;
  std::vector<fault> faults_;
  std::vector<detail::os::intercepted_call> seen_;
  std::array<std::uint64_t, static_cast<std::size_t>(detail::os::call::wait) + 1> counts_{};
  detail::os::interceptor* replaced_;
};

}  // namespace freshet::test
