// Where nobody but the system decides when the page cache writes.
#include "src/os/file.hpp"

#include "src/os/absent/refuse.hpp"

namespace freshet::detail::os {

bool has_writeback_control() noexcept { return false; }

std::size_t file::write_dontcache(std::span<const std::byte> bytes, std::uint64_t offset,
                                  std::error_code& error) noexcept {
  error = refuse({call::write_dontcache, descriptor_, offset, bytes.size()});
  return 0;
}

void file::start_writeback(std::uint64_t offset, std::uint64_t length, std::error_code& error) noexcept {
  error = refuse({call::start_writeback, descriptor_, offset, length});
}

}  // namespace freshet::detail::os
