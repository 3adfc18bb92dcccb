#include "tool/workload/blocks.hpp"

#include <algorithm>
#include <new>

#include "src/os/file.hpp"
#include "tool/workload/random.hpp"

namespace freshet::tool {

block_data::block_data(std::uint64_t seed, std::size_t bytes)
    : memory_{detail::os::allocate_pages(bytes), page_deleter{bytes}} {
  if (!memory_) throw std::bad_alloc{};
  random_words random{seed};
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = random();
    for (std::size_t octet = 0; octet < std::min(sizeof word, bytes - at); ++octet)
      memory_.get()[at + octet] = static_cast<std::byte>(word >> (8 * octet) & 0xFF);
  }
}

void block_data::page_deleter::operator()(std::byte* memory) const noexcept { detail::os::free_pages(memory, length); }

}  // namespace freshet::tool
