#include "src/stream/memory_error.hpp"

#include <atomic>
#include <memory>
#include <new>

namespace freshet::detail {
namespace {

// Never destroyed: streams with static storage duration may be used until the program ends.
constinit std::atomic<const error*> the_error{nullptr};

}  // namespace

const error* memory_error() noexcept try {
  const error* known = the_error.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  auto fresh = std::make_unique<const error>(std::make_error_code(std::errc::not_enough_memory), "use", "");
  return the_error.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel) ? fresh.release() : known;
} catch (const std::bad_alloc&) {
  return nullptr;
}

}  // namespace freshet::detail
