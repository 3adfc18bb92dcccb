#include <freshet/detail/text_memory.hpp>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace freshet::detail {

// realloc moves large memory without touching it, so that growing takes no second copy.
text_window grown(text_window filled, std::size_t length) {
  constexpr std::size_t least = 256;
  const auto used = static_cast<std::size_t>(filled.cursor - filled.begin);
  const auto had = static_cast<std::size_t>(filled.limit - filled.begin);
  const std::size_t wanted = std::max({used + length, had + had / 2, least});
  // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): nothing else grows
  auto* const memory = wanted >= length ? static_cast<char*>(std::realloc(filled.begin, wanted)) : nullptr;
  if (memory == nullptr) throw std::bad_alloc{};
  return {memory, memory + used, memory + wanted};
}

// NOLINTNEXTLINE(cppcoreguidelines-no-malloc): as it was taken
void release_text(char* begin) noexcept { std::free(begin); }

}  // namespace freshet::detail
