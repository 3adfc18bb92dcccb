// Which trials a bench makes, and in which order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trial.hpp"

namespace freshet::tool {

/// What is varied, and what all plans have in common.
struct grid {
  std::vector<std::string> methods = {};
  std::vector<std::size_t> blocks = {0};
  std::vector<unsigned> depths = {0};
  std::vector<trial_class> classes = {trial_class::none};
  trial_plan common = {};
};

/// Every combination, in the order of its parts, as it will be carried out; those that come to the same appear once.
[[nodiscard]] std::vector<trial_plan> plans_of(const grid& varied);

enum class trial_order : std::uint8_t {
  cycle,       ///< round by round, each in the plans' order
  sequential,  ///< all rounds of one plan, then those of the next
  random,      ///< round by round, each in an order of its own
};

/// A trial to be made: which plan, and when.
struct appointment {
  std::size_t plan = 0;
  unsigned round = 0;
  unsigned position = 0;  ///< within its round
  friend bool operator==(const appointment&, const appointment&) = default;
};

/// The trials of `rounds` rounds of `plans` plans. The same `seed` gives the same random order.
[[nodiscard]] std::vector<appointment> schedule(std::size_t plans, unsigned rounds, trial_order order,
                                                std::uint64_t seed);

/// Bytes that one trial of `plan` writes to the file system, its preparation included; without the files that reading
/// trials share.
[[nodiscard]] std::uint64_t bytes_of_trial(const trial_plan& plan);

}  // namespace freshet::tool
