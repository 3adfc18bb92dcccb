// A source of its own: test programs link an immediate take_backed_memory() in its place.
#include <algorithm>

#include "tool/base/clock.hpp"
#include "tool/measure/memory.hpp"

namespace freshet::tool {
namespace {

constexpr double longest_try = 2;             // seconds
constexpr std::uint64_t share_of_memory = 8;  // one part in so many of what is available may be held

}  // namespace

void memory_in_use::take_backed_memory() {
  if (patience_ <= 0) return;
  const stopwatch tried;
  const bool at_rest = reach_unbacked_memory(std::min(longest_try, patience_));
  patience_ = at_rest ? patience_ - tried.seconds() : 0;
  if (!at_rest) release();
}

bool memory_in_use::reach_unbacked_memory(double patience) {
  const stopwatch tried;
  const std::uint64_t most = (available_memory() + bytes()) / share_of_memory;
  return huge_.take_until_slow(patience, most - std::min(most, small_.bytes())) &&
         small_.take_until_slow(patience - tried.seconds(), most - std::min(most, huge_.bytes()));
}

}  // namespace freshet::tool
