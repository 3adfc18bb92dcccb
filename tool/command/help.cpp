#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tool/base/json_output.hpp"
#include "tool/command/arguments.hpp"
#include "tool/command/commands.hpp"
#include "tool/command/laboratory.hpp"
#include "tool/report/screen.hpp"
#include "tool/usage/manual.hpp"
#include "tool/usage/usage_json.hpp"

namespace freshet::tool {
namespace {

constexpr auto help_footer =
    R"(Examples:
  freshet help tune                         the same as freshet tune --help
  freshet help tune --man | man -l -        its page of the manual, also where none is installed
  freshet help --json                       all commands with their options, for programs)";

struct help_options {
  std::string command;
  bool man = false;
  bool json = false;
  program_parser* program = nullptr;
};

// Today, or the date that whoever builds packages wants, so that the same sources always make the same package.
std::string format_date() {
  namespace chrono = std::chrono;
  const char* const wanted = std::getenv("SOURCE_DATE_EPOCH");  // NOLINT(concurrency-mt-unsafe): nothing sets variables
  const auto seconds = wanted == nullptr ? std::nullopt : read_number<std::int64_t>(wanted);
  const chrono::sys_seconds moment = seconds ? chrono::sys_seconds{chrono::seconds{*seconds}}
                                             : chrono::floor<chrono::seconds>(chrono::system_clock::now());
  const chrono::year_month_day date{chrono::floor<chrono::days>(moment)};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

std::string write_page(const program_description& program, const std::string& name) {
  const auto command = std::ranges::find(program.commands, name, &command_description::name);
  return command == program.commands.end() ? write_manual(program, format_date())
                                           : write_manual(program, *command, format_date());
}

// The laboratory's commands are described by it; where there is none, by their names and summaries.
int show_json(const program_parser& program, const std::string& name) {
  if (program.passes_on_any() && !find_laboratory().empty()) start_laboratory();
  program_description all = program.describe();
  if (!name.empty()) std::erase_if(all.commands, [&name](const auto& each) { return each.name != name; });
  for (command_description& each : all.commands) {
    if (!program.passes_on(each.name)) continue;
    each.options.clear();
    each.exits.clear();
  }
  fmt::print("{}\n", to_text(describe_as_json(all), 2));
  return 0;
}

int show_help(const help_options& options) {
  if (options.json) return show_json(*options.program, options.command);
  if (options.program->passes_on(options.command)) start_laboratory();
  fmt::print("{}", options.man ? write_page(options.program->describe(), options.command)
                               : fitted(options.program->help(options.command), standard_screen().width));
  return 0;
}

}  // namespace

void add_help_command(program_parser& program) {
  auto [command, options] =
      program.add_command("help", "Show what a command does, or all commands", show_help, help_footer);
  options.program = &program;
  std::vector<std::string> names;
  for (const command_description& each : program.describe().commands) names.push_back(each.name);
  command.add("COMMAND", options.command, make_choices("a command", names, std::identity{}),
              "The command; without it, all of them");
  auto man = command.add_flag("--man", options.man, "Write the page of the manual, in the language of man(7)");
  command.add_flag("--json", options.json, "Describe commands and options as JSON").exclude(man);
}

}  // namespace freshet::tool
