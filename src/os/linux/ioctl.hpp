// ioctl(2), whose requests are unsigned long in glibc and int in musl.
#pragma once

#include <sys/ioctl.h>

namespace freshet::detail::os {

/// Calls `function`, which is ::ioctl, with a request of the type that it takes.
template <class Request>
int ask_with(int (*function)(int, Request, ...), int descriptor, unsigned long request, void* answer) noexcept {
  return function(descriptor, static_cast<Request>(request), answer);
}

/// Asks the kernel about the open `descriptor`; -1 with errno set if that fails.
[[nodiscard]] inline int ask_ioctl(int descriptor, unsigned long request, void* answer) noexcept {
  return ask_with(::ioctl, descriptor, request, answer);
}

}  // namespace freshet::detail::os
