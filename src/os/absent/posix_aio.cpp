// Where the C library has no aio.
#include "src/os/queue_kinds.hpp"

namespace freshet::detail::os {

std::unique_ptr<queue> make_posix_aio(unsigned /*depth*/, std::error_code& error) {
  error = std::make_error_code(std::errc::function_not_supported);
  return nullptr;
}

}  // namespace freshet::detail::os
