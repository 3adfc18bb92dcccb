// How the Linux sources of the seam make system calls: through the interceptor.
#pragma once

#include <cerrno>
#include <system_error>

#include "src/os/interceptor.hpp"

namespace freshet::detail::os {

[[nodiscard]] inline std::error_code last_error() noexcept { return {errno, std::system_category()}; }

/// Makes one call that returns a negative number and sets errno on failure. `make` is passed the length that the
/// interceptor left. Returns the result of `make`, or -1 if the interceptor prevented the call.
template <class Make>
auto make_call(intercepted_call next, std::error_code& error, Make make) noexcept -> decltype(make(next.length)) {
  error = ask_interceptor(next);
  if (error) return -1;
  const auto result = make(next.length);
  if (result < 0) error = last_error();
  return result;
}

/// Passes a call that is not made by make_call() to the interceptor.
[[nodiscard]] inline std::error_code ask_about(call kind, int descriptor = -1) noexcept {
  intercepted_call next{kind, descriptor, 0, 0};
  return ask_interceptor(next);
}

}  // namespace freshet::detail::os
