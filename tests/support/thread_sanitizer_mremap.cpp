// mremap() for the thread sanitizer, which does not follow the system's: it takes what another thread once wrote at the
// addresses that memory moved to for a race with what is written there now.
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

// NOLINTNEXTLINE(cert-dcl50-cpp): the C library declares it so.
extern "C" void* mremap(void* memory, std::size_t length, std::size_t wanted, int /*flags*/, ...) noexcept {
  void* const moved = ::mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (moved == MAP_FAILED) return moved;
  std::memcpy(moved, memory, std::min(length, wanted));
  ::munmap(memory, length);
  return moved;
}
