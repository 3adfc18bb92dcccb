// The status of an open file.
#pragma once

#include <system_error>

#include "src/os/file.hpp"

namespace freshet::detail::os {

[[nodiscard]] std::error_code ask_status(native_handle_type handle, file_status& status) noexcept;

}  // namespace freshet::detail::os
