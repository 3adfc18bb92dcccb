// How the sources of the seam on Unix make system calls: through the interceptor.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <system_error>

#include "src/os/interceptor.hpp"

namespace freshet::detail::os {

/// What errno says. That a call is not supported has two numbers on macOS; the library asks for one of them.
[[nodiscard]] inline std::error_code last_error() noexcept {
  return {errno == ENOTSUP ? EOPNOTSUPP : errno, std::system_category()};
}

/// The flags of an open file (F_GETFL); negative on failure.
[[nodiscard]] inline int status_flags(int descriptor) noexcept { return ::fcntl(descriptor, F_GETFL); }

/// The result of a call that moves bytes, as a number of them.
[[nodiscard]] inline std::size_t bytes_moved(ssize_t result) noexcept {
  return result < 0 ? 0 : static_cast<std::size_t>(result);
}

/// For calls that return their error instead of setting errno.
[[nodiscard]] inline int set_errno(int number) noexcept {
  if (number == 0) return 0;
  errno = number;
  return -1;
}

/// The result of a call that the system lacks.
[[nodiscard]] inline int refuse_call() noexcept { return set_errno(ENOTSUP); }

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
