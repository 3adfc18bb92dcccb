// What the system calls an open file.
#pragma once

#include <type_traits>

#include <freshet/detail/export.hpp>

namespace freshet {

/// What the system calls an open file: a descriptor on Unix systems, a HANDLE on Windows, where wchar_t has two bytes.
using native_handle_type = std::conditional_t<sizeof(wchar_t) == 2, void*, int>;

namespace detail {

template <typename Handle>
[[nodiscard]] constexpr Handle make_no_handle() noexcept {
  if constexpr (std::is_pointer_v<Handle>)
    return nullptr;
  else
    return -1;
}

/// The handle of standard input (0) or output (1). Only Windows has it.
[[nodiscard]] FRESHET_API void* find_standard_handle(int number) noexcept;

template <typename Handle = native_handle_type>
[[nodiscard]] inline Handle standard_handle(int number) noexcept {
  if constexpr (std::is_pointer_v<Handle>)
    return find_standard_handle(number);
  else
    return number;
}

}  // namespace detail

/// What stands for no open file: -1 on Unix systems, a null pointer on Windows.
inline constexpr native_handle_type no_native_handle = detail::make_no_handle<native_handle_type>();

}  // namespace freshet
