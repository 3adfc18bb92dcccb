// The laboratory: commands that few people call. They are a program of their own, freshet-lab, which freshet starts as
// git starts its commands.
#pragma once

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json_fwd.hpp>

#include "tool/command/laboratory_list.hpp"
#include "tool/command/options.hpp"

namespace freshet::tool {

/// Whether the laboratory of this build has this command.
[[nodiscard]] inline bool has_laboratory_command(std::string_view name) {
  return std::ranges::any_of(laboratory_commands(), [&](const laboratory_command& each) { return each.name == name; });
}
/// What the help lists them under.
inline constexpr const char* laboratory_heading = "Laboratory";

/// Adds one of them, as program_parser::add_command() does. Precondition: it is in the list.
template <typename Options>
[[nodiscard]] std::pair<command_parser, Options&> add_laboratory_command(program_parser& program, std::string_view name,
                                                                         int (*execute)(const Options&),
                                                                         const std::string& footer) {
  for (const laboratory_command& each : laboratory_commands())
    if (each.name == name)
      return program.add_command(std::string{name}, std::string{each.summary}, execute, footer, laboratory_heading);
  throw std::logic_error{"the laboratory has no command " + std::string{name}};
}

/// Adds all of them, each of which start_laboratory() carries out.
void pass_on_to_laboratory(program_parser& program);

/// The number of processes that mpirun (of Open MPI or another MPI), or srun with an MPI, started together with this
/// one; 1 if it was started alone. Only the environment is read.
[[nodiscard]] unsigned launched_processes();

/// Where freshet-lab is: in the directory of this program or where it is installed; empty where there is none.
[[nodiscard]] std::filesystem::path find_laboratory();

/// Replaces this process by freshet-lab, with the same words; under mpirun by its twin that connects the processes.
/// @throws std::runtime_error  if there is none: says what builds or installs it
[[noreturn]] void start_laboratory();

/// The command of freshet-lab that reads groups from a descriptor, its argument, and replaces them there by what a
/// lines_drawer returns.
inline constexpr std::string_view drawing_command = "draw-lines";

/// Has freshet-lab draw what only it can draw. @throws nobody_draws  if there is none; child_failure  if it fails
[[nodiscard]] nlohmann::json ask_laboratory(const nlohmann::json& groups);

/// For freshet-lab: the freshet that started this process, or this program if none did. To be called first in main().
/// @throws std::runtime_error  if that freshet has another version
[[nodiscard]] const std::filesystem::path& starting_program();

}  // namespace freshet::tool
