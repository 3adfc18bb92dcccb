// By which calls a system moves bytes.
#pragma once

#include <cstdint>
#include <type_traits>

#include <freshet/detail/native_handle.hpp>

namespace freshet::detail::os {

enum class call_family : std::uint8_t {
  posix,  ///< write(2) and what extends it, on descriptors
  win32,  ///< WriteFile() and its flags, on handles
};

/// The calls that there are here.
inline constexpr call_family known_calls =
    std::is_pointer_v<native_handle_type> ? call_family::win32 : call_family::posix;

}  // namespace freshet::detail::os
