// The commands: each adds itself to the command line.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "tool/command/options.hpp"

namespace freshet::tool {

void add_bench_command(program_parser& program);
void add_cat_command(program_parser& program);
void add_compare_command(program_parser& program);
void add_completion_command(program_parser& program);
void add_doctor_command(program_parser& program);
/// To be called last: it knows the commands that were added before.
void add_help_command(program_parser& program);
void add_history_command(program_parser& program);
void add_methods_command(program_parser& program);
void add_profile_command(program_parser& program);
void add_report_command(program_parser& program);
void add_seal_command(program_parser& program);
void add_text_command(program_parser& program);
void add_tune_command(program_parser& program);
void add_unseal_command(program_parser& program);

/// The commands that need Linux.
inline constexpr auto commands_of_linux = std::to_array<std::string_view>(
    {"tune", "bench", "history", "compare", "report", "doctor", "profile", "seal", "unseal", "cat", "completion"});

// What the program has on this system.

/// Those of freshet itself but help, in the order in which the help lists them.
void add_all_commands(program_parser& program);
/// What the help of the program ends with.
[[nodiscard]] std::string all_examples();
/// The variables of the environment.
void explain_variables(program_parser& program);

}  // namespace freshet::tool
