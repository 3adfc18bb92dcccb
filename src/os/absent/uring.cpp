// Stands for linux/uring.cpp in builds without liburing.
#include "src/os/queue_kinds.hpp"

namespace freshet::detail::os {

bool has_uring() noexcept { return false; }

std::unique_ptr<queue> make_uring(unsigned /*depth*/, std::error_code& error) {
  error = std::make_error_code(std::errc::function_not_supported);
  return nullptr;
}

}  // namespace freshet::detail::os
