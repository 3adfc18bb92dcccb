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

// Of several arguments, fish can complete the first.
std::string fish_action(const option_description& option) {
  const std::vector<std::string> arguments = arguments_of(option);
  if (arguments.empty()) return "";
  switch (offer_for(option, arguments.front())) {
    case offer::files:
      return " -r -F";
    case offer::directories:
      return " -x -a '(__fish_complete_directories)'";
    case offer::words:
      return fmt::format(" -x -a '{}{}{}'", option.is_list ? "(__freshet_list " : "", fmt::join(option.words, " "),
                         option.is_list ? ")" : "");
    case offer::nothing:
      break;
  }
  return " -x";
}

std::string fish_positional_action(const option_description& option) {
  switch (offer_for(option, arguments_of(option).front())) {
    case offer::files:
      return " -F";
    case offer::directories:
      return " -a '(__fish_complete_directories)'";
    case offer::words:
      return fmt::format(" -a '{}'", fmt::join(option.words, " "));
    case offer::nothing:
      break;
  }
  return "";
}

std::string fish_line(const std::string& command, const option_description& option) {
  const std::string begin = fmt::format("complete -c freshet -n '__freshet_command {}'", command);
  if (option.names.empty()) {
    const std::string does = fish_positional_action(option);
    return does.empty() ? "" : begin + does + "\n";
  }
  std::string names;
  for (const std::string& name : option.names)
    names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  return fmt::format("{}{}{} -d {}\n", begin, names, fish_action(option), quote(option.help));
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
