/// @file
/// What freshet knows about a file system, for programs that stay with the C library's streams.
#pragma once

#include <cstddef>
#include <cstdio>
#include <system_error>

namespace freshet {

/// Tunes an open stream of the C library: its buffer becomes as large as the file system's profile says for this
/// direction (256 KiB without a profile, at most 1 MiB), and its functions no longer lock it. From then on the program
/// sees to it that no two threads use the stream at the same time. The C library owns the buffer and frees it when the
/// stream is closed.
///
/// A stream without a descriptor (fmemopen, fopencookie) and one on a terminal or another device keep their buffer;
/// where the C library cannot leave the locking to the caller (other than glibc), its functions go on locking.
///
/// Precondition: nothing was read from or written to the stream yet.
/// @returns bytes of the buffer; 0 where the stream kept the one it had
/// @throws freshet::error  when the stream is not open, or there is no memory: it then works on as before
std::size_t stdio_tune(std::FILE* stream);
/// The same, with an error code.
std::size_t stdio_tune(std::FILE* stream, std::error_code& failure) noexcept;

}  // namespace freshet
