// The seam to the C library's streams.
#pragma once

#include <cstddef>
#include <cstdio>
#include <system_error>

namespace freshet::detail::os {

/// Whether `stream` stands on a descriptor, rather than on memory or a program's own functions; -1 where not.
[[nodiscard]] int descriptor_of(std::FILE* stream) noexcept;

/// The stream's functions no longer lock it, where the C library can do without.
void leave_locking_to_caller(std::FILE* stream) noexcept;

/// Gives `stream` a buffer of `size` bytes that the C library frees with it. Precondition: nothing was read or written.
void set_buffer(std::FILE* stream, std::size_t size, std::error_code& error) noexcept;

}  // namespace freshet::detail::os
