#include <fmt/format.h>

#include <string_view>

#include "tool/base/text.hpp"
#include "tool/usage/completion.hpp"

namespace freshet::tool {
namespace {

constexpr std::string_view fish_functions = R"(# Completion of freshet for fish. `freshet completion fish` writes it.

function __freshet_without_command
    test (count (commandline -opc)) -eq 1
end

function __freshet_command
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test "$words[2]" = $argv[1]
end

# Words between commas, after those that stand there already.
function __freshet_list
    set -l before (commandline -ct | string replace -r -- '^--[^=]*=' '' | string match -r -- '^.*,')
    printf '%s\n' "$before"$argv
end

complete -c freshet -f
complete -c freshet -n __freshet_without_command -s h -l help -d 'Print the commands'
complete -c freshet -n __freshet_without_command -l version -d 'Print the version'
)";

std::string quote(std::string text) {
  for (const std::string_view special : {"\\", "'"})
    text = replaced(std::move(text), special, fmt::format("\\{}", special));
  return fmt::format("'{}'", text);
}

constexpr completion_forms fish_forms{.files = " -r -F",
                                      .directories = " -x -a '(__fish_complete_directories)'",
                                      .words = " -x -a '{}'",
                                      .list = " -x -a '(__freshet_list {})'",
                                      .nothing = " -x"};
constexpr completion_forms fish_positional_forms{.files = " -F",
                                                 .directories = " -a '(__fish_complete_directories)'",
                                                 .words = " -a '{}'",
                                                 .list = " -a '{}'",
                                                 .nothing = ""};

std::string fish_line(const std::string& command, const option_description& option) {
  const std::string begin = fmt::format("complete -c freshet -n '__freshet_command {}'", command);
  const std::vector<std::string> arguments = arguments_of(option);
  if (option.names.empty()) {
    const std::string does = complete(option, arguments.front(), fish_positional_forms);
    return does.empty() ? "" : begin + does + "\n";
  }
  // Of several arguments, fish can complete the first.
  const std::string does = arguments.empty() ? "" : complete(option, arguments.front(), fish_forms);
  std::string names;
  for (const std::string& name : option.names)
    names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  return fmt::format("{}{}{} -d {}\n", begin, names, does, quote(option.help));
}

}  // namespace

std::string write_fish_completion(const program_description& program) {
  std::string script{fish_functions};
  for (const command_description& each : program.commands) {
    script +=
        fmt::format("\ncomplete -c freshet -n __freshet_without_command -a {} -d {}\n", each.name, quote(each.summary));
    for (const option_description& option : each.options) script += fish_line(each.name, option);
  }
  return script;
}

}  // namespace freshet::tool
