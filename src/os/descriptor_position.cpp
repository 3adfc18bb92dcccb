#include "src/os/descriptor_position.hpp"

#include <system_error>

namespace freshet::detail::os {

void descriptor_position::follow(std::uint64_t offset) noexcept {
  offset_.store(offset, std::memory_order_relaxed);
  if (subscription_) return;
  fork_listener& self = *this;
  subscription_.emplace(self);
}

std::optional<std::uint64_t> descriptor_position::leave() noexcept {
  const bool was_followed = is_followed();
  subscription_.reset();
  const std::uint64_t position = at_fork_.load(std::memory_order_relaxed);
  return was_followed && position != none ? std::optional{position} : std::nullopt;
}

void descriptor_position::before_fork() noexcept {
  std::error_code ignored;  // what cannot be moved has no position
  const std::uint64_t position = offset_.load(std::memory_order_relaxed);
  file_.set_position(position, ignored);
  at_fork_.store(position, std::memory_order_relaxed);
}

}  // namespace freshet::detail::os
