// Which trials a bench makes, and in which order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <freshet/methods.hpp>

#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// What is varied, and what all plans have in common.
struct grid {
  std::vector<std::string> methods = {};
  std::vector<std::size_t> blocks = {0};
  std::vector<unsigned> depths = {0};
  std::vector<io_class> classes = {io_class::none};
  trial_plan common = {};
};

/// Every combination, in the order of its parts, as it will be carried out; those that come to the same appear once.
[[nodiscard]] std::vector<trial_plan> plans_of(const grid& varied);

/// All methods; those that are `named` work in `directory`. @throws freshet::error  with the reason why one does not
[[nodiscard]] std::vector<method_info> methods_with(const std::vector<std::string>& named,
                                                    const std::filesystem::path& directory);

enum class trial_order : std::uint8_t {
  cycle,       ///< round by round, each in the plans' order
  sequential,  ///< all rounds of one plan, then those of the next
  random,      ///< round by round, each in an order of its own
};

/// A trial to be made: which plan, and when.
struct scheduled_trial {
  std::size_t plan = 0;
  unsigned round = 0;
  unsigned position = 0;  ///< within its round
  friend bool operator==(const scheduled_trial&, const scheduled_trial&) = default;
};

/// The trials of `rounds` rounds of `plans` plans. The same `seed` gives the same random order.
[[nodiscard]] std::vector<scheduled_trial> schedule(std::size_t plans, unsigned rounds, trial_order order,
                                                    std::uint64_t seed);

/// The trials of all rows in the order in which they were made. Precondition: a row's own are those of its first
/// appointments in `order`, as after a failure it has no more.
template <typename Rows>
[[nodiscard]] auto in_order(std::span<const scheduled_trial> order, const Rows& rows) {
  using made = typename std::remove_cvref_t<decltype(rows[0].trials)>::value_type;
  std::vector<const made*> trials;
  std::vector<std::size_t> taken(rows.size());
  for (const scheduled_trial& each : order)
    if (std::size_t& next = taken[each.plan]; next < rows[each.plan].trials.size())
      trials.push_back(&rows[each.plan].trials[next++]);
  return trials;
}

/// Bytes that one trial of `plan` writes to the file system, its preparation included; without the files that reading
/// trials share.
[[nodiscard]] std::uint64_t bytes_of_trial(const trial_plan& plan);

}  // namespace freshet::tool
