// Where programs do not wait until the page cache has been written.
#include "src/os/absent/refuse.hpp"
#include "src/os/file.hpp"

namespace freshet::detail::os {

void file::wait_writeback(std::uint64_t offset, std::uint64_t length, std::error_code& error) noexcept {
  error = refuse({call::wait_writeback, descriptor_, offset, length});
}

}  // namespace freshet::detail::os
