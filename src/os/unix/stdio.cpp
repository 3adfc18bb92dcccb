// The seam to the streams of other C libraries, using only what POSIX and C guarantee.
#include <stdio.h>

#include "src/os/stdio.hpp"

namespace freshet::detail::os {

int descriptor_of(std::FILE* stream) noexcept { return ::fileno(stream); }

void leave_locking_to_caller(std::FILE*) noexcept {}

// The library may allocate a buffer of this size, or keep the one it has.
void set_buffer(std::FILE* stream, std::size_t size, std::error_code& error) noexcept {
  if (::setvbuf(stream, nullptr, _IOFBF, size) != 0) error = std::make_error_code(std::errc::not_enough_memory);
}

}  // namespace freshet::detail::os
