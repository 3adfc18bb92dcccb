// What only a short measurement shows of a machine.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "tool/doctor/facts.hpp"

namespace freshet::tool {

/// How long measure_facts() takes at most, in seconds, unless a device needs longer for a single flush.
inline constexpr double measuring_time = 1.0;

/// Watches what others do, then measures for a moment how much of the processors this process gets, how fast new memory
/// is, and how long flushes in the directory of `known` take. What cannot be measured is added to `unseen`. Leaves
/// nothing in the directory.
/// @param show  called before each step, with what it does and how many seconds are left
/// @throws interrupted
[[nodiscard]] measured_facts measure_facts(const machine_facts& known,
                                           const std::function<void(std::string_view, double)>& show,
                                           std::vector<unseen_fact>& unseen);

}  // namespace freshet::tool
