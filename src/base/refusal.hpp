// How a file that cannot be opened as asked is refused.
#pragma once

#include <string>
#include <string_view>
#include <system_error>

#include <freshet/error.hpp>

namespace freshet::detail {

/// @throws freshet::error  always: `path` cannot be opened, for the reason `why`; `detail` may be empty
[[noreturn]] inline void refuse(const std::string& path, std::errc why, std::string_view detail) {
  throw error{std::make_error_code(why), "open", path, error::no_offset, detail};
}

}  // namespace freshet::detail
