// The seam to the streams of Microsoft's C library.
#include "src/os/stdio.hpp"

#include <io.h>
#include <stdio.h>

#include <algorithm>
#include <climits>
#include <cstdint>

namespace freshet::detail::os {

native_handle_type descriptor_of(std::FILE* stream) noexcept {
  const int number = ::_fileno(stream);
  const auto handle = static_cast<std::intptr_t>(number < 0 ? -1 : ::_get_osfhandle(number));
  return handle < 0 ? no_native_handle : reinterpret_cast<native_handle_type>(handle);
}

void leave_locking_to_caller(std::FILE*) noexcept {}

void set_buffer(std::FILE* stream, std::size_t size, std::error_code& error) noexcept {
  const auto accepted = std::min<std::size_t>(size, INT_MAX);
  if (::setvbuf(stream, nullptr, _IOFBF, accepted) != 0) error = std::make_error_code(std::errc::not_enough_memory);
}

}  // namespace freshet::detail::os
