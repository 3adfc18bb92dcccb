// Checksums by libxxhash.
#include <xxhash.h>

#include <new>

#include "src/filter/running_checksum.hpp"

// This header chooses the widest vectors that the processor has: 45 GB/s instead of 9, which would be too close to the
// speed of warm reading.
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>
#endif

namespace freshet::detail {
namespace {

XXH3_state_t* of_library(void* state) noexcept { return static_cast<XXH3_state_t*>(state); }

}  // namespace

bool running_checksum::is_available() noexcept { return true; }

running_checksum::running_checksum() {
  XXH3_state_t* const made = XXH3_createState();
  if (made == nullptr || XXH3_64bits_reset(made) != XXH_OK) throw std::bad_alloc{};
  state_.reset(reinterpret_cast<state*>(made));
}

void running_checksum::free_state::operator()(state* unused) const noexcept { XXH3_freeState(of_library(unused)); }

// Fails only for a null state.
void running_checksum::add(std::span<const std::byte> bytes) noexcept {
  if (!bytes.empty()) XXH3_64bits_update(of_library(state_.get()), bytes.data(), bytes.size());
}

checksum running_checksum::result() const noexcept {
  return {checksum_algorithm::xxh3, XXH3_64bits_digest(of_library(state_.get()))};
}

}  // namespace freshet::detail
