// `freshet bench --against`: two programs that write, in turn, until it is known whether the first is slower.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "tool/command/arguments.hpp"
#include "tool/command/options.hpp"
#include "tool/command/results.hpp"
#include "tool/trial/program_runner.hpp"
#include "tool/trial/series.hpp"

namespace freshet::tool {

struct against_options {
  std::string other = {};    ///< another build of freshet or, with `program`, of that; empty: none
  std::string program = {};  ///< words of the user's for the shell; empty: this build of freshet
  program_request request = {};
  double tolerated = 0.05;  ///< a slowdown: 0.05 is 5 %
};

/// Adds --against and --fail-if-worse.
void add_against_options(command_parser& command, against_options& options);

/// Runs both programs in turn for each of the plans, in rounds whose order is random, until each plan is settled or
/// ten times series.rounds were run. Prints and writes the results.
/// @return  the exit code: 1 if the first is certainly slower by more than what is tolerated, 3 if that cannot be told,
/// 0 otherwise
/// @throws freshet::error; usage_error; interrupted
[[nodiscard]] int run_against(const against_options& options, std::span<const candidate> rows,
                              const series_options& series, const log_options& log,
                              const std::filesystem::path& directory);

}  // namespace freshet::tool
