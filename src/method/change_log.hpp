// What a method that uses others keeps of its changes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include <freshet/statistics.hpp>

namespace freshet::detail {

/// The changes of a method that uses others.
struct change_log {
  std::vector<method_change> first = {};  ///< at most `most`
  std::uint64_t all = 0;
  static constexpr std::size_t most = 64;

  /// Keeps it where its offset belongs.
  void add(const method_change& change) noexcept {
    ++all;
    if (first.size() == most) return;
    try {
      first.insert(std::ranges::upper_bound(first, change.offset, {}, &method_change::offset), change);
    } catch (const std::bad_alloc&) {  // it is counted
    }
  }
};

}  // namespace freshet::detail
