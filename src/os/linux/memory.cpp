// The seam on Linux: private memory.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "src/os/file.hpp"

namespace freshet::detail::os {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

std::size_t whole_pages(std::size_t length) noexcept { return (length + page_size() - 1) / page_size() * page_size(); }

std::byte* map_private(std::size_t length) noexcept {
  void* const memory = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

// The kernel aligns to small pages only: maps a huge page more and unmaps what is not needed at either end.
std::byte* map_aligned(std::size_t length) noexcept {
  std::byte* const memory = map_private(length + huge_page);
  if (memory == nullptr) return nullptr;
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(memory) % huge_page;
  const std::size_t before = beyond == 0 ? 0 : huge_page - beyond;
  if (before != 0) ::munmap(memory, before);
  ::munmap(memory + before + length, huge_page - before);
  return memory + before;
}

}  // namespace

std::byte* allocate_pages(std::size_t length) noexcept {
  const std::size_t whole = whole_pages(length);
  if (whole < huge_page) return map_private(whole);
  std::byte* const memory = map_aligned(whole);
  // Only a hint: without huge pages the memory works as well, but the first access and pinning cost more.
  if (memory != nullptr) ::madvise(memory, whole, MADV_HUGEPAGE);
  return memory;
}

void free_pages(std::byte* memory, std::size_t length) noexcept {
  if (memory != nullptr) ::munmap(memory, whole_pages(length));
}

std::byte* grow_pages(std::byte* memory, std::size_t length, std::size_t wanted) noexcept {
  void* const grown = ::mremap(memory, whole_pages(length), whole_pages(wanted), MREMAP_MAYMOVE);
  return grown == MAP_FAILED ? nullptr : static_cast<std::byte*>(grown);
}

}  // namespace freshet::detail::os
