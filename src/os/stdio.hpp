// The seam between the library and the C library's streams.
#pragma once

#include <cstddef>
#include <cstdio>
#include <system_error>

#include <freshet/detail/native_handle.hpp>

namespace freshet::detail::os {

/// The descriptor of `stream`; no_native_handle if it has none (memory, or a program's own functions).
[[nodiscard]] native_handle_type descriptor_of(std::FILE* stream) noexcept;

/// Stops the stream's functions from locking it, if the C library supports that.
void leave_locking_to_caller(std::FILE* stream) noexcept;

/// Gives `stream` a buffer of `size` bytes, which the C library frees together with it. Precondition: nothing was read
/// or written.
void set_buffer(std::FILE* stream, std::size_t size, std::error_code& error) noexcept;

}  // namespace freshet::detail::os
