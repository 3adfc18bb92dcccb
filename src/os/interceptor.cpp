#include "src/os/interceptor.hpp"

#include <atomic>

namespace freshet::detail::os {
namespace {

std::atomic<interceptor*> current_interceptor{nullptr};

}  // namespace

interceptor* intercept(interceptor* replacement) noexcept {
  return current_interceptor.exchange(replacement, std::memory_order_acq_rel);
}

std::error_code ask_interceptor(intercepted_call& next) {
  interceptor* const installed = current_interceptor.load(std::memory_order_acquire);
  return installed == nullptr ? std::error_code{} : installed->before(next);
}

}  // namespace freshet::detail::os
