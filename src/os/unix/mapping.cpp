// The seam by POSIX.1-2008: files that are mapped into memory.
#include <sys/mman.h>
#include <unistd.h>

#include "src/os/file.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {

mapping::~mapping() {
  if (data_ != nullptr) ::munmap(data_, length_);
}

mapping mapping::map(const file& target, std::uint64_t offset, std::size_t length, std::error_code& error) {
  return map_as(PROT_READ | PROT_WRITE, target, offset, length, error);
}

mapping mapping::map_to_read(const file& target, std::uint64_t offset, std::size_t length, std::error_code& error) {
  return map_as(PROT_READ, target, offset, length, error);
}

mapping mapping::map_as(int protection, const file& target, std::uint64_t offset, std::size_t length,
                        std::error_code& error) {
  mapping result;
  intercepted_call next{call::map, target.descriptor(), offset, length};
  error = ask_interceptor(next);
  if (error) return result;
  void* const memory = ::mmap(nullptr, length, protection, MAP_SHARED, target.descriptor(), static_cast<off_t>(offset));
  if (memory == MAP_FAILED) {
    error = last_error();
    return result;
  }
  result.data_ = static_cast<std::byte*>(memory);
  result.length_ = length;
  return result;
}

void mapping::sync(std::error_code& error) const noexcept {
  make_call({call::sync_map, -1, 0, length_}, error, [&](std::size_t) { return ::msync(data_, length_, MS_SYNC); });
}

std::size_t page_size() noexcept { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

}  // namespace freshet::detail::os
