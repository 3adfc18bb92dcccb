// Lets allocations of this program fail.
#pragma once

#include <cstddef>
#include <limits>

namespace freshet::test {

/// Counts this process's calls of operator new while it exists, and lets some of them fail. Only one at a time. Without
/// one, operator new is as always.
class failing_allocations {
 public:
  static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

  /// @param first  the number, from 1, of the first call that fails
  /// @param last   the number of the last one; `never`: all from the first on fail
  failing_allocations(std::size_t first, std::size_t last) noexcept;
  failing_allocations(const failing_allocations&) = delete;
  failing_allocations& operator=(const failing_allocations&) = delete;
  ~failing_allocations();

  /// How many calls there were.
  [[nodiscard]] static std::size_t count() noexcept;
};

}  // namespace freshet::test
