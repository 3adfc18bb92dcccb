// Stands for linux/libaio.cpp in builds without libaio.
#include "src/os/queue_kinds.hpp"

namespace freshet::detail::os {

bool has_libaio() noexcept { return false; }

std::unique_ptr<queue> make_libaio(unsigned /*depth*/, std::error_code& error) {
  error = std::make_error_code(std::errc::function_not_supported);
  return nullptr;
}

}  // namespace freshet::detail::os
