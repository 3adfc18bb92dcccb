// Space before it is used, on macOS.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "src/os/file.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {
namespace {

// How far `end` lies beyond the end of the file's space, from which the kernel counts.
std::uint64_t length_beyond(const struct stat& entry, std::uint64_t end) noexcept {
  const auto allocated = static_cast<std::uint64_t>(entry.st_blocks) * 512;
  return end - std::min(end, std::max(allocated, static_cast<std::uint64_t>(entry.st_size)));
}

int allocate(int descriptor, std::uint64_t length, unsigned flags) noexcept {
  fstore_t space{};
  space.fst_flags = flags;
  space.fst_posmode = F_PEOFPOSMODE;
  space.fst_length = static_cast<off_t>(length);
  return ::fcntl(descriptor, F_PREALLOCATE, &space);
}

int allocate_up_to(int descriptor, std::uint64_t end) noexcept {
  struct stat entry {};
  if (::fstat(descriptor, &entry) < 0) return -1;
  const std::uint64_t length = length_beyond(entry, end);
  if (length == 0 || allocate(descriptor, length, F_ALLOCATECONTIG | F_ALLOCATEALL) == 0) return 0;
  return allocate(descriptor, length, F_ALLOCATEALL);  // in several pieces
}

}  // namespace

void file::preallocate(std::uint64_t offset, std::uint64_t length, std::error_code& error) noexcept {
  make_call({call::preallocate, descriptor_, offset, length}, error,
            [&](std::size_t) { return allocate_up_to(descriptor_, offset + length); });
}

// Without F_ALLOCATEPERSIST, close() frees what this leaves.
void file::free_preallocation(std::uint64_t size, std::error_code& error) noexcept {
  make_call({call::free_preallocation, descriptor_, size, 0}, error,
            [&](std::size_t) { return ::ftruncate(descriptor_, static_cast<off_t>(size)); });
}

}  // namespace freshet::detail::os
