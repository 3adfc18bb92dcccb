#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include <freshet/error.hpp>
#include <freshet/profile.hpp>

#include "tool/command/commands.hpp"
#include "tool/command/results.hpp"
#include "tool/report/profile_report.hpp"
#include "tool/report/screen.hpp"

namespace freshet::tool {
namespace {

constexpr auto profile_footer =
    R"(Examples:
  freshet profile                           how files are written and read here
  freshet profile --path                    the file that holds it)";

struct profile_options {
  std::string directory = ".";
  result_files results;
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

int show_profile(const profile_options& options) {
  if (options.path) return print_path();
  try {
    const profile_inspection report = inspect_profile(options.directory);
    for (const auto& warning : report.warnings) fmt::print(stderr, "freshet profile: {}\n", warning);
    options.results.publish(fitted(format_profile(report), standard_screen().width), report);
    return 0;
  } catch (const error& fault) {
    fmt::print(stderr, "freshet profile: {}\n", fault.what());
    return 1;
  }
}

}  // namespace

void add_profile_command(program_parser& program) {
  auto [command, options] =
      program.add_command("profile", "Show the profile of a directory's file system", show_profile, profile_footer);
  command.add("DIR", options.directory, "The directory");
  const command_option json = add_json_option(command, options.results, "the same");
  command.add_flag("--path", options.path, "Print only the path of the user's profile").exclude(json);
}

}  // namespace freshet::tool
