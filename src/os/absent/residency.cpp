// Where nobody is told what the page cache holds.
#include "src/os/file.hpp"

namespace freshet::detail::os {

residency file::cached(std::error_code& error, std::uint64_t length) const { return cached_in(0, length, error); }

residency file::cached_in(std::uint64_t /*offset*/, std::uint64_t /*length*/, std::error_code& error) const {
  error = std::make_error_code(std::errc::operation_not_supported);
  return {};
}

std::uint64_t file::unwritten(std::uint64_t /*offset*/, std::uint64_t /*length*/,
                              std::error_code& error) const noexcept {
  error = std::make_error_code(std::errc::function_not_supported);
  return 0;
}

}  // namespace freshet::detail::os
