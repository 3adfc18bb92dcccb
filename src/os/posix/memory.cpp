// Private memory where the system has no calls for pages.
#include <cstdlib>
#include <cstring>

#include "src/os/file.hpp"

namespace freshet::detail::os {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

std::size_t whole_pages(std::size_t length) noexcept { return (length + page_size() - 1) / page_size() * page_size(); }

}  // namespace

std::byte* allocate_pages(std::size_t length) noexcept {
  const std::size_t whole = whole_pages(length);
  void* memory = nullptr;
  if (::posix_memalign(&memory, whole < huge_page ? page_size() : huge_page, whole) != 0) return nullptr;
  return static_cast<std::byte*>(std::memset(memory, 0, whole));
}

// NOLINTNEXTLINE(cppcoreguidelines-no-malloc): posix_memalign() allocated it
void free_pages(std::byte* memory, std::size_t /*length*/) noexcept { std::free(memory); }

std::byte* grow_pages(std::byte* memory, std::size_t length, std::size_t wanted) noexcept {
  std::byte* const grown = allocate_pages(wanted);
  if (grown == nullptr) return nullptr;
  std::memcpy(grown, memory, length < wanted ? length : wanted);
  free_pages(memory, length);
  return grown;
}

}  // namespace freshet::detail::os
