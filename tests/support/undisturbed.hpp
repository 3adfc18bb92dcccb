// Trials that are to be valid on a machine whose processors others use, too.
#pragma once

#include <string_view>
#include <utility>

namespace freshet::test {

/// Whether trials are told to be invalid since the hypervisor gave their processors to others.
[[nodiscard]] inline bool is_spoilt(std::string_view told) {
  return told.find("the hypervisor gave") != std::string_view::npos;
}

/// What `run` returns; it runs again, four times at most, where `spoilt` finds that the hypervisor spoilt that.
template <typename Run, typename Spoilt>
[[nodiscard]] auto undisturbed(const Run& run, const Spoilt& spoilt) {
  auto result = run();
  for (int again = 0; again < 4 && spoilt(std::as_const(result)); ++again) result = run();
  return result;
}

/// The same where `run` returns what a command printed, which tells what is invalid and why.
template <typename Run>
[[nodiscard]] auto undisturbed(const Run& run) {
  return undisturbed(run, [](const auto& done) { return is_spoilt(done.out) || is_spoilt(done.err); });
}

}  // namespace freshet::test
