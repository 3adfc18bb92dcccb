#include <fmt/format.h>

#include <string_view>

#include "tool/base/text.hpp"
#include "tool/usage/completion.hpp"

namespace freshet::tool {
namespace {

// Within single quotes, and within the brackets or between the colons of a specification.
std::string zsh_text(std::string text) {
  for (const std::string_view special : {"\\", "[", "]", ":"})
    text = replaced(std::move(text), special, fmt::format("\\{}", special));
  return replaced(std::move(text), "'", "'\\''");
}

constexpr completion_forms zsh_forms{
    .files = "_files", .directories = "_files -/", .words = "({})", .list = " _values -s , word {}", .nothing = " "};

std::string arguments_text(const option_description& option) {
  std::string text;
  for (const std::string& argument : arguments_of(option))
    text += fmt::format(":{}:{}", zsh_text(argument), complete(option, argument, zsh_forms));
  return text;
}

// Whether "--name=argument" is one word.
bool takes_equals(const std::string& name, const option_description& option) {
  return name.starts_with("--") && arguments_of(option).size() == 1;
}

// The specifications for _arguments.
std::string specifications(const command_description& command) {
  std::string text;
  for (const option_description& option : command.options) {
    if (option.names.empty()) {
      for (const std::string& argument : arguments_of(option))
        text += fmt::format(" \\\n        '{}:{}:{}'", option.repeats ? "*" : "", zsh_text(argument),
                            complete(option, argument, zsh_forms));
    }
    for (const std::string& name : option.names)
      text += fmt::format(" \\\n        '{}{}{}[{}]{}'", option.repeats ? "*" : "", name,
                          takes_equals(name, option) ? "=" : "", zsh_text(option.help), arguments_text(option));
  }
  return text;
}

}  // namespace

std::string write_zsh_completion(const program_description& program) {
  std::string commands;
  std::string branches;
  for (const command_description& each : program.commands) {
    commands += fmt::format("        '{}:{}'\n", each.name, zsh_text(each.summary));
    branches += fmt::format("      {})\n        _arguments -s{}\n        ;;\n", each.name, specifications(each));
  }
  return fmt::format(R"(#compdef freshet
# Completion of freshet for zsh. `freshet completion zsh` writes it.

_freshet() {{
  local state
  local -A opt_args
  _arguments -C '(- *)'{{-h,--help}}'[Print the commands]' '(- *)--version[Print the version]' '1: :->command' '*:: :->rest'
  case $state in
    command)
      local -a commands
      commands=(
{}      )
      _describe command commands
      ;;
    rest)
      case $words[1] in
{}      esac
      ;;
  esac
}}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _freshet "$@"
else
  compdef _freshet freshet
fi
)",
                     commands, branches);
}

}  // namespace freshet::tool
