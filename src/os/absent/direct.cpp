// Where nothing passes by the page cache.
#include "src/os/file.hpp"

namespace freshet::detail::os {

void file::set_direct(bool on, std::error_code& error) noexcept {
  error = on ? std::make_error_code(std::errc::operation_not_supported) : std::error_code{};
}

std::optional<direct_limits> file::direct_alignment() const noexcept { return direct_limits{}; }

}  // namespace freshet::detail::os
