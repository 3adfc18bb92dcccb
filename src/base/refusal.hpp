// How a file that cannot be opened as asked is refused.
#pragma once

#include <cstdint>
#include <filesystem>  // on Windows a native_string converts to a path_argument by way of a path
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include <freshet/error.hpp>
#include <freshet/path_argument.hpp>

namespace freshet::detail {

/// An open file that has no path, for messages: "descriptor 3", on Windows "handle 172".
template <typename Handle>
[[nodiscard]] std::string name_of_handle(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>)
    return "handle " + std::to_string(reinterpret_cast<std::uintptr_t>(handle));
  else
    return "descriptor " + std::to_string(handle);
}

/// @throws freshet::error  always: `path` cannot be opened, for the reason `why`; `detail` may be empty
[[noreturn]] inline void refuse(const native_string& path, std::errc why, std::string_view detail) {
  throw error{std::make_error_code(why), "open", path, error::no_offset, detail};
}

}  // namespace freshet::detail
