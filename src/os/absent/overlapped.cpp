// Where there are no completion ports.
#include "src/os/queue_kinds.hpp"

namespace freshet::detail::os {

std::unique_ptr<queue> make_overlapped(unsigned /*depth*/, std::error_code& error) {
  error = std::make_error_code(std::errc::function_not_supported);
  return nullptr;
}

}  // namespace freshet::detail::os
