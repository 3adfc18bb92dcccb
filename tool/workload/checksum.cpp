#include "tool/workload/checksum.hpp"

#include <xxhash.h>

#include <new>

// Chooses the widest vectors that the processor has: 45 GB/s instead of 9, which would be too close to warm reading.
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>
#endif

namespace freshet::tool {
namespace {

XXH3_state_t* hash_state(void* state) { return static_cast<XXH3_state_t*>(state); }

}  // namespace

void checksum::release::operator()(void* state) const noexcept { XXH3_freeState(hash_state(state)); }

checksum::checksum() : state_{XXH3_createState()} {
  if (!state_) throw std::bad_alloc{};
  XXH3_64bits_reset(hash_state(state_.get()));
}

void checksum::add(std::span<const std::byte> bytes) noexcept {
  XXH3_64bits_update(hash_state(state_.get()), bytes.data(), bytes.size());
}

std::uint64_t checksum::value() const noexcept { return XXH3_64bits_digest(hash_state(state_.get())); }

}  // namespace freshet::tool
