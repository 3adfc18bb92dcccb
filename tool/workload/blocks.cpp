#include "blocks.hpp"

#include <new>

#include "os/file.hpp"

namespace freshet::tool {
namespace {

// SplitMix64: a counter, scrambled. Fast, and the same everywhere.
std::uint64_t scramble(std::uint64_t state) noexcept {
  state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9U;
  state = (state ^ (state >> 27)) * 0x94D049BB133111EBU;
  return state ^ (state >> 31);
}

}  // namespace

block_data::block_data(std::uint64_t seed) : memory_{os::allocate_pages(length)} {
  if (!memory_) throw std::bad_alloc{};
  std::uint64_t state = scramble(seed);
  for (std::size_t at = 0; at < length; at += sizeof state) {
    state += 0x9E3779B97F4A7C15U;
    const std::uint64_t word = scramble(state);
    for (unsigned octet = 0; octet < sizeof word; ++octet)
      memory_.get()[at + octet] = static_cast<std::byte>(word >> (8 * octet) & 0xFF);
  }
}

void block_data::give_back::operator()(std::byte* memory) const noexcept { os::free_pages(memory, length); }

}  // namespace freshet::tool
