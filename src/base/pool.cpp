#include "src/base/pool.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <vector>

#include "src/os/file.hpp"

namespace freshet::detail {
namespace {

constexpr std::size_t process_cap = std::size_t{256} << 20;
// How much idle memory is kept: touching new memory for the first time costs the next file more than writing it.
constexpr std::size_t idle_cap = process_cap / 4;

// What the blocks of many files may have together, beyond first_block each.
constexpr std::size_t crowd_cap = process_cap / 4;

constexpr std::size_t classes = std::bit_width(largest_block / smallest_block);

std::size_t class_of(std::size_t size) noexcept {
  return static_cast<std::size_t>(std::bit_width(size / smallest_block)) - 1;
}

struct shelves {
  std::mutex mutex;
  std::array<std::vector<std::byte*>, classes> idle;
  std::size_t idle_bytes = 0;
  std::size_t in_use = 0;
  std::size_t blocks_in_use = 0;

  // Precondition: the mutex is held.
  void drop_idle(std::size_t bytes) noexcept {
    for (std::size_t k = classes; k-- > 0 && bytes > 0;) {
      const std::size_t size = smallest_block << k;
      for (auto& shelf = idle[k]; !shelf.empty() && bytes > 0; shelf.pop_back()) {
        os::free_pages(shelf.back(), size);
        idle_bytes -= size;
        bytes -= std::min(bytes, size);
      }
    }
  }
};

// Never destroyed, because writers with static storage duration may be used until the program ends.
shelves& all() noexcept {
  static auto& instance = *new shelves;
  return instance;
}

}  // namespace

std::size_t pool::cap() noexcept { return process_cap; }

std::size_t pool::in_use() noexcept {
  const std::lock_guard lock{all().mutex};
  return all().in_use;
}

std::size_t pool::fair_share() noexcept {
  const std::lock_guard lock{all().mutex};
  return crowd_cap / std::max<std::size_t>(all().blocks_in_use, 1);
}

block pool::try_take(std::size_t size) noexcept {
  auto& shelf = all();
  const std::lock_guard lock{shelf.mutex};
  if (shelf.in_use + size > process_cap && size > smallest_block) return {};
  std::byte* memory = nullptr;
  if (auto& fitting = shelf.idle[class_of(size)]; !fitting.empty()) {
    memory = fitting.back();
    fitting.pop_back();
    shelf.idle_bytes -= size;
  } else {
    if (shelf.in_use + shelf.idle_bytes + size > process_cap) shelf.drop_idle(size);
    memory = os::allocate_pages(size);
  }
  if (memory == nullptr) return {};
  shelf.in_use += size;
  ++shelf.blocks_in_use;
  return block{{memory, size}};
}

void pool::release_idle() noexcept {
  auto& shelf = all();
  const std::lock_guard lock{shelf.mutex};
  shelf.drop_idle(shelf.idle_bytes);
}

block pool::take(std::size_t size) noexcept {
  for (; size > smallest_block; size /= 2)
    if (auto granted = try_take(size)) return granted;
  return try_take(smallest_block);
}

void pool::put_back(std::span<std::byte> memory) noexcept {
  auto& shelf = all();
  const std::lock_guard lock{shelf.mutex};
  shelf.in_use -= memory.size();
  --shelf.blocks_in_use;
  if (shelf.idle_bytes + memory.size() <= idle_cap) {
    try {
      shelf.idle[class_of(memory.size())].push_back(memory.data());
      shelf.idle_bytes += memory.size();
      return;
    } catch (...) {  // no memory to record it: returned to the system instead
    }
  }
  os::free_pages(memory.data(), memory.size());
}

}  // namespace freshet::detail
