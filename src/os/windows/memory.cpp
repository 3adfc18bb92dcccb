// The seam by Windows: private memory.
#include <cstdint>
#include <cstring>

#include "src/os/file.hpp"
#include "src/os/windows/native.hpp"

namespace freshet::detail::os {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr int attempts = 8;

std::byte* allocate_at(void* address, std::size_t length, DWORD how) noexcept {
  return static_cast<std::byte*>(::VirtualAlloc(address, length, how, PAGE_READWRITE));
}

}  // namespace

// Looks for a place with room to spare, gives it back, and takes the aligned part: another thread may be there first.
std::byte* allocate_pages(std::size_t length) noexcept {
  constexpr DWORD at_once = MEM_RESERVE | MEM_COMMIT;
  if (length < huge_page) return allocate_at(nullptr, length, at_once);
  for (int i = 0; i < attempts; ++i) {
    std::byte* const room = allocate_at(nullptr, length + huge_page, MEM_RESERVE);
    if (room == nullptr) return nullptr;
    ::VirtualFree(room, 0, MEM_RELEASE);
    const auto aligned = (reinterpret_cast<std::uintptr_t>(room) + huge_page - 1) / huge_page * huge_page;
    if (std::byte* const memory = allocate_at(reinterpret_cast<void*>(aligned), length, at_once)) return memory;
  }
  return nullptr;
}

void free_pages(std::byte* memory, std::size_t /*length*/) noexcept {
  if (memory != nullptr) ::VirtualFree(memory, 0, MEM_RELEASE);
}

std::byte* grow_pages(std::byte* memory, std::size_t length, std::size_t wanted) noexcept {
  std::byte* const grown = allocate_pages(wanted);
  if (grown == nullptr) return nullptr;
  std::memcpy(grown, memory, length < wanted ? length : wanted);
  free_pages(memory, length);
  return grown;
}

}  // namespace freshet::detail::os
