// Repeats trials that must be valid until nobody has taken their processors.
#pragma once

#include <string_view>
#include <utility>

namespace freshet::test {

/// Whether `output` says that a trial is invalid because others had its processors.
[[nodiscard]] inline bool is_spoilt(std::string_view output) {
  return output.find("the hypervisor gave") != std::string_view::npos ||
         output.find("others had the processors") != std::string_view::npos;
}

/// Returns the result of `run`. Runs it again, at most four times, while `spoilt` says that it was spoilt.
template <typename Run, typename Spoilt>
[[nodiscard]] auto undisturbed(const Run& run, const Spoilt& spoilt) {
  auto result = run();
  for (int again = 0; again < 4 && spoilt(std::as_const(result)); ++again) result = run();
  return result;
}

/// The same for a `run` that returns the output of a command, which says which trials are invalid and why.
template <typename Run>
[[nodiscard]] auto undisturbed(const Run& run) {
  return undisturbed(run, [](const auto& done) { return is_spoilt(done.out) || is_spoilt(done.err); });
}

}  // namespace freshet::test
