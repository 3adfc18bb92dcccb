// The seam to the streams of glibc.
#include <stdio.h>
#include <stdio_ext.h>

#include <cstdlib>

#include "src/os/stdio.hpp"

namespace freshet::detail::os {
namespace {

// _IO_USER_BUF: the stream's buffer belongs to the program, and fclose() does not free it. It is not in glibc's public
// headers, but the same in all versions. Without it, fclose() calls free() from this version on.
static_assert(__GLIBC_PREREQ(2, 23));
constexpr int user_buffer_flag = 1;

}  // namespace

int descriptor_of(std::FILE* stream) noexcept { return ::fileno(stream); }

void leave_locking_to_caller(std::FILE* stream) noexcept { ::__fsetlocking(stream, FSETLOCKING_BYCALLER); }

// When glibc allocates the buffer, it ignores the size. A buffer of the program would have to outlive the stream, but
// standard output is written after the last destructor. So the stream gets a buffer as if it had allocated it.
// NOLINTBEGIN(cppcoreguidelines-no-malloc,clang-analyzer-unix.Malloc): fclose() calls free()
void set_buffer(std::FILE* stream, std::size_t size, std::error_code& error) noexcept {
  char* const memory = static_cast<char*>(std::malloc(size));
  if (memory == nullptr || ::setvbuf(stream, memory, _IOFBF, size) != 0) {
    error = std::make_error_code(std::errc::not_enough_memory);
    std::free(memory);
    return;
  }
  stream->_flags &= ~user_buffer_flag;
}
// NOLINTEND(cppcoreguidelines-no-malloc,clang-analyzer-unix.Malloc)

}  // namespace freshet::detail::os
