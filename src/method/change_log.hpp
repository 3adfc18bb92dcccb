// What a method that uses others keeps of its changes.
#pragma once

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

  void add(const method_change& change) noexcept {
    ++all;
    if (first.size() == most) return;
    try {
      first.push_back(change);
    } catch (const std::bad_alloc&) {  // it is counted
    }
  }
};

}  // namespace freshet::detail
