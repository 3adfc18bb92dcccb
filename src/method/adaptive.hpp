// A method that changes between the page cache and direct I/O while the file is written.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "src/method/registry.hpp"

namespace freshet::detail {

/// Bytes in a block of `entry` where neither the user nor a profile names a size. Twice as large are no faster, and
/// take longer to touch for the first time where memory is at rest.
[[nodiscard]] constexpr std::size_t adaptive_block(const method_entry& entry) noexcept {
  constexpr std::size_t largest = std::size_t{2} << 20;
  return std::min(entry.good_block, largest);
}

/// Where set, decides instead of the measured speeds whether an adaptive file changes its way after a block. For tests.
inline std::atomic<bool (*)() noexcept> force_changes{nullptr};

}  // namespace freshet::detail
