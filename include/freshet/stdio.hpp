/// @file
/// freshet::stdio_tune(), for programs that keep using the C library's streams.
#pragma once

#include <cstddef>
#include <cstdio>
#include <system_error>

#include <freshet/detail/export.hpp>

namespace freshet {

/// Tunes an open stream of the C library: gives it a buffer of the size that the file system's profile has for this
/// direction, and turns off the locking in its functions. Without a profile the buffer has 256 KiB; it never has more
/// than 1 MiB. The C library owns the buffer and frees it when the stream is closed. After the call, the program must
/// not use the stream from two threads at the same time.
///
/// Streams without a descriptor (fmemopen, fopencookie) and streams on terminals and other devices keep their buffer.
/// C libraries other than glibc may keep locking.
///
/// Precondition: nothing has been read from or written to the stream.
/// @param stream  an open stream
/// @returns the size of the new buffer in bytes, or 0 if the stream kept its buffer
/// @throws freshet::error  if the stream is not open or there is no memory; the stream then works as before
FRESHET_API std::size_t stdio_tune(std::FILE* stream);
/// Like stdio_tune(std::FILE*), but sets `failure` instead of throwing and then returns 0.
FRESHET_API std::size_t stdio_tune(std::FILE* stream, std::error_code& failure) noexcept;

}  // namespace freshet
