// How the Linux files of the seam make a system call: the interceptor first, then the kernel.
#pragma once

#include <cerrno>
#include <system_error>

#include "src/os/interceptor.hpp"

namespace freshet::detail::os {

[[nodiscard]] inline std::error_code last_error() noexcept { return {errno, std::system_category()}; }

/// Makes one call that answers below 0 with errno set when it fails. `make` gets the length that the interceptor left.
/// Returns what `make` returned, or -1 where the interceptor let nothing be made.
template <class Make>
auto make_call(intercepted_call next, std::error_code& error, Make make) noexcept -> decltype(make(next.length)) {
  error = ask_interceptor(next);
  if (error) return -1;
  const auto result = make(next.length);
  if (result < 0) error = last_error();
  return result;
}

/// Asks about a call that is not made through make_call().
[[nodiscard]] inline std::error_code ask_about(call kind, int descriptor = -1) noexcept {
  intercepted_call next{kind, descriptor, 0, 0};
  return ask_interceptor(next);
}

}  // namespace freshet::detail::os
