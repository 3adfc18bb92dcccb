// What the device of a file system takes by the best way that was measured there, and what a program gets of that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tool/store/record.hpp"

namespace freshet::tool {

struct machine_rate {
  double rate = 0;            ///< MB/s, the median of its trials, until the device has everything
  std::string way = {};       ///< the label of the way that takes the least time
  std::string measured = {};  ///< when the last run with one of its trials began: ISO 8601, UTC
  std::size_t trials = 0;     ///< that the rate is drawn from
};

/// A trial of a run that began then.
struct dated_trial {
  trial_result figures;
  std::string began;
};
[[nodiscard]] std::vector<std::string> find_exclusion_reasons(const dated_trial& trial);

/// Whether the run looked for the best way, and took place on this machine and file system.
[[nodiscard]] bool tells_machine_rate(const run& of, const environment& here);

/// Finds the rate in the trials of such runs.
class machine_rate_search {
 public:
  /// Adds a trial of a run that began then. It is left out unless a method of the library wrote 16 MiB or more with
  /// it, to a device that could be seen.
  void add(record&& stored, std::string_view began);
  /// The best way of those with rounds_to_decide trials that count by sort_trials(), or else of those with
  /// enough_of_one_size; empty if there is none.
  [[nodiscard]] std::optional<machine_rate> find() const;

 private:
  struct way {
    std::string label;
    std::vector<dated_trial> trials;
  };
  std::map<std::string, way> ways_;  // by their plans' identity
};

/// What a program gets of the machine's rate.
struct machine_share {
  double share = 0;           ///< its own rate, until the device has everything, divided by the machine's
  std::uint64_t waiting = 0;  ///< bytes in memory when it closed its file; 0 if it was not faster than the device
  bool forms_lines = false;   ///< it was slower, and spent more than half of that time forming lines
};

/// The medians over trials of one plan that writes. Empty if none of them is usable, with a device that can be seen.
[[nodiscard]] std::optional<machine_share> compare_with_machine(const machine_rate& machine,
                                                                std::span<const trial_result* const> trials);

void to_json(nlohmann::json& out, const machine_rate& rate);

}  // namespace freshet::tool
