// The stored runs that a command reads, and how users name them.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tool/command/options.hpp"
#include "tool/store/store_set.hpp"

namespace freshet::tool {

/// Which stored runs to read; an empty member selects all.
struct stored_options {
  std::vector<std::filesystem::path> stores;  ///< empty: default_store()
  std::string command;
  std::string since;
  std::vector<std::filesystem::path> directories;
};

/// Adds --store FILE, which may be repeated, --command C, --since DATE and --directory DIR.
void add_stored_options(command_parser& command, stored_options& options,
                        const std::string& since_help = "Only trials of this time or later");

/// --run, the name of a stored run.
command_option add_run_option(command_parser& command, std::string& run, const std::string& help);

/// The paths of the stores. @throws std::runtime_error  if one does not exist, saying which commands create it
[[nodiscard]] std::vector<std::filesystem::path> existing_stores(const stored_options& options);
/// The same, for messages.
[[nodiscard]] std::string name_stores(const stored_options& options);

/// The selected runs, in the order in which they began. Those of tries at a campaign's step that have no result are
/// left out, since the step is repeated and would count twice; a line on standard error says so. The run of the number
/// `named` is kept in any case. @throws freshet::error
[[nodiscard]] std::vector<run> select_runs(const store_set& kept, const stored_options& options,
                                           std::string_view named = {});

/// Whether the word names a run: "12", "last", "last~1".
[[nodiscard]] bool names_a_run(std::string_view word);
/// The word itself. @throws std::invalid_argument  where it does not name a run
[[nodiscard]] std::string parse_run_name(std::string_view word);
/// The run that the word names. Precondition: names_a_run(word). @throws std::runtime_error  if it is not one of `runs`
[[nodiscard]] const run& find_run(std::span<const run> runs, std::string_view word);

}  // namespace freshet::tool
