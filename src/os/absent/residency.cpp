// Where nobody is told what the page cache holds.
#include "src/os/file.hpp"

#include "src/os/absent/refuse.hpp"

namespace freshet::detail::os {

residency file::cached(std::error_code& error, std::uint64_t length) const { return cached_in(0, length, error); }

residency file::cached_in(std::uint64_t /*offset*/, std::uint64_t /*length*/, std::error_code& error) const {
  error = refuse({call::status, descriptor_, 0, 0});
  return {};
}

std::uint64_t file::unwritten(std::uint64_t /*offset*/, std::uint64_t /*length*/,
                              std::error_code& error) const noexcept {
  error = refuse({call::status, descriptor_, 0, 0}, std::errc::function_not_supported);
  return 0;
}

}  // namespace freshet::detail::os
