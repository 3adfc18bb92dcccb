#include <fmt/format.h>

#include <string_view>

#include "tool/usage/completion.hpp"

namespace freshet::tool {
namespace {

constexpr std::string_view bash_script = R"(# Completion of freshet for bash. `freshet completion bash` writes it.

# Words between commas.
_freshet_list() {
  local before=${current%"${current##*,}"}
  compopt -o nospace
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${current##*,}")
}
_freshet_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }
_freshet_files() {
  compopt -o filenames
  mapfile -t COMPREPLY < <(compgen -f -- "$current")
}
_freshet_directories() {
  compopt -o filenames
  mapfile -t COMPREPLY < <(compgen -d -- "$current")
}

_freshet() {
  local current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} option='' further=''
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _freshet_words '@COMMANDS@'
    return
  fi
  option=${COMP_WORDS[COMP_CWORD - 1]}
  further=${COMP_WORDS[COMP_CWORD - 2]}
  # "--size=64K" is three words.
  if [[ $current == '=' ]]; then
    current=''
  elif [[ $option == '=' ]]; then
    option=$further further=''
  fi
  case $command:$option in
@OPTIONS@
  esac
  case $command:$further in
@SECOND@
    *) ;;
  esac
  if [[ $current == -* ]]; then
    case $command in
@NAMES@
    esac
    return
  fi
  case $command in
@POSITIONAL@
  esac
}
complete -F _freshet freshet freshet-mpi
)";

std::string bash_action(const option_description& option, const std::string& argument) {
  switch (offer_for(option, argument)) {
    case offer::files:
      return "_freshet_files";
    case offer::directories:
      return "_freshet_directories";
    case offer::words:
      return fmt::format("_freshet_{} '{}'", option.is_list ? "list" : "words", fmt::join(option.words, " "));
    case offer::nothing:
      break;
  }
  return ":";
}

std::string fill(std::string_view form, std::string_view place, const std::string& text) {
  const std::size_t at = form.find(place);
  return fmt::format("{}{}{}", form.substr(0, at), text, form.substr(at + place.size()));
}

// "    tune:--class|tune:--durability) …": one line of a case.
std::string branch(const std::string& pattern, const std::string& does) {
  return fmt::format("    {}) {} ;;\n", pattern, does);
}

struct cases {
  std::string options;     // what follows an option
  std::string second;      // what follows an option's first argument
  std::string names;       // options
  std::string positional;  // other words
};

void add(cases& all, const command_description& command) {
  std::string names;
  std::string positional = ":";
  for (const option_description& option : command.options) {
    std::vector<std::string> patterns;
    for (const std::string& name : option.names) {
      names += (names.empty() ? "" : " ") + name;
      patterns.push_back(command.name + ":" + name);
    }
    const std::vector<std::string> arguments = arguments_of(option);
    if (patterns.empty() && positional == ":") positional = bash_action(option, arguments.front());
    if (patterns.empty() || arguments.empty()) continue;
    const std::string pattern = fmt::format("{}", fmt::join(patterns, " | "));
    all.options += branch(pattern, bash_action(option, arguments[0]) + "; return");
    if (arguments.size() > 1) all.second += branch(pattern, bash_action(option, arguments[1]) + "; return");
  }
  all.names += branch(command.name, fmt::format("_freshet_words '{}'", names));
  all.positional += branch(command.name, positional);
}

std::string without_newline(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

std::string write_bash_completion(const program_description& program) {
  cases all;
  std::string commands = "--help --version";
  for (const command_description& each : program.commands) {
    commands += " " + each.name;
    add(all, each);
  }
  std::string script = fill(bash_script, "@COMMANDS@", commands);
  script = fill(script, "@OPTIONS@", without_newline(all.options));
  script = fill(script, "@SECOND@", without_newline(all.second));
  script = fill(script, "@NAMES@", without_newline(all.names));
  return fill(script, "@POSITIONAL@", without_newline(all.positional));
}

}  // namespace freshet::tool
