// A campaign's plan: the steps to measure, and what happens between them (doc/reference/campaign-plan.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tool/base/enum_names.hpp"

namespace freshet::tool {

/// How the machine is brought into the same state before each step.
enum class between_steps : std::uint8_t { nothing, drop_caches, remount, reboot };
template <>
inline constexpr auto enum_names<between_steps> = std::to_array<std::string_view>({"nothing", "drop-caches", "remount",
                                                                                   "reboot"});

/// A name in a plan's matrix, and the values that take its place in turn.
struct matrix_axis {
  std::string name;
  std::vector<std::string> values;
};

/// A command of the plan. {NAME} in its words stands for a value of the axis NAME.
struct plan_step {
  std::string name;
  std::vector<std::string> words;  ///< of freshet, without its name; or one text for the shell
  bool for_shell = false;
};

struct campaign_plan {
  std::string name;
  between_steps between = between_steps::nothing;
  unsigned repetitions = 1;
  bool random_order = true;
  std::optional<std::uint64_t> seed;          ///< of that order
  std::filesystem::path directory;            ///< where steps run; empty: the plan's directory
  std::filesystem::path mount;                ///< the file system to remount
  std::vector<std::filesystem::path> inputs;  ///< files and directories that must not be cached when a step begins
  double time_limit = 0;                      ///< seconds that a step may take
  bool stops_at_failure = false;
  std::vector<matrix_axis> matrix;
  std::vector<plan_step> steps;
};

/// The largest plan that is read, in bytes, and the most steps that it may have once it is multiplied out.
inline constexpr std::size_t largest_plan = std::size_t{256} << 10;
inline constexpr std::size_t most_steps = 10'000;

/// Parses the text of a plan. @throws freshet::error  naming the file `name`, the line and what is wrong
[[nodiscard]] campaign_plan parse_plan(std::string_view text, const std::filesystem::path& name);

/// The values that a step has for the axes that it names.
using matrix_cell = std::vector<std::pair<std::string, std::string>>;

/// One measurement of a campaign: a step of the plan in one cell of its matrix.
struct planned_step {
  std::string name;
  matrix_cell cell;
  unsigned repetition = 1;         ///< from 1
  std::vector<std::string> words;  ///< as in plan_step, with values in place of {NAME}
  bool for_shell = false;
};

/// All measurements, in the order in which they are made: each step for each cell of the axes that it names, then all
/// of that again for the next repetition. `seed` shuffles each repetition unless the plan has another order.
[[nodiscard]] std::vector<planned_step> list_steps(const campaign_plan& plan, std::uint64_t seed);

/// Whether a call of freshet keeps its trials in the store, and therefore takes --store.
[[nodiscard]] bool keeps_trials(std::string_view command);

}  // namespace freshet::tool
