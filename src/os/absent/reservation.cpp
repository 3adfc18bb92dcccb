// Where space cannot be reserved without changing a file's size.
#include "src/os/file.hpp"

#include "src/os/absent/refuse.hpp"

namespace freshet::detail::os {

void file::preallocate(std::uint64_t offset, std::uint64_t length, std::error_code& error) noexcept {
  error = refuse({call::preallocate, descriptor_, offset, length});
}

void file::free_preallocation(std::uint64_t /*size*/, std::error_code& error) noexcept { error.clear(); }

}  // namespace freshet::detail::os
