#include "tool/workload/checksum.hpp"

#include <xxhash.h>

#include <new>

// This header chooses the widest vectors that the processor has: 45 GB/s instead of 9, which would be too close to the
// speed of warm reading.
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>
#endif

namespace freshet::tool {

void checksum::release::operator()(XXH3_state_s* state) const noexcept { XXH3_freeState(state); }

checksum::checksum() : state_{XXH3_createState()} {
  if (!state_) throw std::bad_alloc{};
  XXH3_64bits_reset(state_.get());
}

void checksum::write(std::span<const std::byte> bytes) noexcept {
  XXH3_64bits_update(state_.get(), bytes.data(), bytes.size());
}

std::uint64_t checksum::value() const noexcept { return XXH3_64bits_digest(state_.get()); }

}  // namespace freshet::tool
