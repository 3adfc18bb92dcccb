// A call that the system lacks fails as one that the system refuses: an interceptor sees it, too.
#pragma once

#include <system_error>

#include "src/os/interceptor.hpp"

namespace freshet::detail::os {

[[nodiscard]] inline std::error_code refuse(intercepted_call next,
                                            std::errc reason = std::errc::operation_not_supported) noexcept {
  const std::error_code asked = ask_interceptor(next);
  return asked ? asked : std::make_error_code(reason);
}

}  // namespace freshet::detail::os
