#include <freshet/detail/text_memory.hpp>

#include <algorithm>
#include <cstddef>
#include <new>

#include "src/os/file.hpp"

namespace freshet::detail {
namespace {

std::size_t size_of(text_window memory) noexcept { return static_cast<std::size_t>(memory.limit - memory.begin); }

std::byte* bytes_of(text_window memory) noexcept { return reinterpret_cast<std::byte*>(memory.begin); }

}  // namespace

// Takes memory directly from the system. If several threads grew and freed it with malloc(), about as much memory again
// would stay unused in the allocator's arenas.
text_window grown(text_window filled, std::size_t length) {
  constexpr std::size_t least = std::size_t{16} << 10;
  const auto used = static_cast<std::size_t>(filled.cursor - filled.begin);
  const std::size_t had = size_of(filled);
  const std::size_t wanted = std::max({used + length, had + had / 2, least});
  if (wanted < length) throw std::bad_alloc{};
  std::byte* const memory = had == 0 ? os::allocate_pages(wanted) : os::grow_pages(bytes_of(filled), had, wanted);
  if (memory == nullptr) throw std::bad_alloc{};
  char* const begin = reinterpret_cast<char*>(memory);
  return {begin, begin + used, begin + wanted};
}

void release_text(text_window memory) noexcept { os::free_pages(bytes_of(memory), size_of(memory)); }

}  // namespace freshet::detail
