#include "src/base/pool.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <new>
#include <type_traits>

#include "src/os/file.hpp"
#include "src/os/fork.hpp"

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

// An idle block; its own memory holds the list, so that returning a block needs no other.
struct idle_block {
  idle_block* next;
};

struct shelves {
  os::process_mutex mutex;
  std::array<idle_block*, classes> idle{};
  std::size_t idle_bytes = 0;
  std::size_t in_use = 0;
  std::size_t blocks_in_use = 0;

  // Precondition of all: the mutex is held.
  void add_idle(std::span<std::byte> memory) noexcept {
    idle_block*& first = idle[class_of(memory.size())];
    first = new (memory.data()) idle_block{first};
    idle_bytes += memory.size();
  }

  // Null if there is none.
  std::byte* take_idle(std::size_t size) noexcept {
    idle_block*& first = idle[class_of(size)];
    if (first == nullptr) return nullptr;
    auto* const memory = reinterpret_cast<std::byte*>(std::exchange(first, first->next));
    idle_bytes -= size;
    return memory;
  }

  void drop_idle(std::size_t bytes) noexcept {
    for (std::size_t size = largest_block; size >= smallest_block && bytes > 0; size /= 2)
      while (bytes > 0 && idle[class_of(size)] != nullptr) {
        os::free_pages(take_idle(size), size);
        bytes -= std::min(bytes, size);
      }
  }
};

// Constant, and with nothing to destroy: writers with static storage duration may be used from the program's beginning
// to its end.
constinit shelves all;
static_assert(std::is_trivially_destructible_v<shelves>);

// A plugin with this library in it may be unloaded, and loaded again. Blocks that come back later than this stay.
struct unloading {
  ~unloading() { pool::release_idle(); }
};
[[maybe_unused]] const unloading end_of_library;

}  // namespace

std::size_t pool::cap() noexcept { return process_cap; }

std::size_t pool::in_use() noexcept {
  const std::lock_guard lock{all.mutex};
  return all.in_use;
}

std::size_t pool::fair_share() noexcept {
  const std::lock_guard lock{all.mutex};
  return crowd_cap / std::max<std::size_t>(all.blocks_in_use, 1);
}

block pool::try_take(std::size_t size) noexcept {
  const std::lock_guard lock{all.mutex};
  if (all.in_use + size > process_cap && size > smallest_block) return {};
  std::byte* memory = all.take_idle(size);
  if (memory == nullptr) {
    if (all.in_use + all.idle_bytes + size > process_cap) all.drop_idle(size);
    memory = os::allocate_pages(size);
  }
  if (memory == nullptr) return {};
  all.in_use += size;
  ++all.blocks_in_use;
  return block{{memory, size}};
}

void pool::release_idle() noexcept {
  const std::lock_guard lock{all.mutex};
  all.drop_idle(all.idle_bytes);
}

block pool::take(std::size_t size) noexcept {
  for (; size > smallest_block; size /= 2)
    if (auto granted = try_take(size)) return granted;
  return try_take(smallest_block);
}

void pool::put_back(std::span<std::byte> memory) noexcept {
  const std::lock_guard lock{all.mutex};
  all.in_use -= memory.size();
  --all.blocks_in_use;
  if (all.idle_bytes + memory.size() <= idle_cap)
    all.add_idle(memory);
  else
    os::free_pages(memory.data(), memory.size());
}

}  // namespace freshet::detail
