#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include <freshet/error.hpp>
#include <freshet/profile.hpp>

#include "tool/command/commands.hpp"
#include "tool/report/json_output.hpp"
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
    fmt::print(stderr, "freshet profile: neither XDG_CONFIG_HOME nor HOME says where the user's profile is\n");
    return 1;
  }
  fmt::print("{}\n", path.string());
  return 0;
}

int show(const profile_options& options) {
  try {
    const profile_report report = inspect_profile(options.directory);
    for (const auto& warning : report.warnings) fmt::print(stderr, "freshet profile: {}\n", warning);
    if (words_on_stdout(options.json)) fmt::print("{}", describe(report));
    write_json(report, options.json);
    return 0;
  } catch (const error& fault) {
    fmt::print(stderr, "freshet profile: {}\n", fault.what());
    return 1;
  }
}

}  // namespace

void add_profile_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<profile_options>();
  CLI::App* command = app.add_subcommand("profile", "Show the profile of a directory's file system");
  command->add_option("DIR", options->directory, "The directory")->capture_default_str();
  command->add_option("--json", options->json, "Write the same to this file; - is standard output");
  command->add_flag("--path", options->path, "Print where the user's profile is, and nothing else");
  command->callback([options, &exit_code] { exit_code = options->path ? print_path() : show(*options); });
}

}  // namespace freshet::tool
