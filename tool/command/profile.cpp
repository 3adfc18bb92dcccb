#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>

#include <freshet/error.hpp>
#include <freshet/profile.hpp>

#include "tool/base/json_output.hpp"
#include "tool/command/arguments.hpp"
#include "tool/command/commands.hpp"
#include "tool/report/profile_report.hpp"

namespace freshet::tool {
namespace {

struct profile_options {
  std::string directory = ".";
  std::string json;  ///< empty: none; "-": to standard output
  bool path = false;
};

int print_path() {
  const auto path = user_profile_path();
  if (path.empty()) {
    fmt::print(stderr, "freshet profile: neither XDG_CONFIG_HOME nor HOME is set, so the user has no profile\n");
    return 1;
  }
  fmt::print("{}\n", path.string());
  return 0;
}

int show(const profile_options& options) {
  try {
    const profile_inspection report = inspect_profile(options.directory);
    for (const auto& warning : report.warnings) fmt::print(stderr, "freshet profile: {}\n", warning);
    if (words_on_stdout(options.json)) fmt::print("{}", format_profile(report));
    write_json(report, options.json);
    return 0;
  } catch (const error& fault) {
    fmt::print(stderr, "freshet profile: {}\n", fault.what());
    return 1;
  }
}

}  // namespace

void add_profile_command(program_parser& program) {
  const auto options = std::make_shared<profile_options>();
  command_parser command = program.add_command("profile", "Show the profile of a directory's file system");
  command.add("DIR", options->directory, "The directory");
  add_json_option(command, options->json, "the same");
  command.add_flag("--path", options->path, "Print only the path of the user's profile");
  command.set_action([options] { return options->path ? print_path() : show(*options); });
}

}  // namespace freshet::tool
