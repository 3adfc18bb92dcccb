#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "tool/base/text.hpp"
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
complete -F _freshet freshet
)";

constexpr completion_forms bash_forms{.files = "_freshet_files",
                                      .directories = "_freshet_directories",
                                      .words = "_freshet_words '{}'",
                                      .list = "_freshet_list '{}'",
                                      .nothing = ":"};

// "    tune:--class|tune:--durability) …": one line of a case, before which another may stand.
void add_branch(std::string& lines, const std::string& pattern, const std::string& does) {
  lines += fmt::format("{}    {}) {} ;;", lines.empty() ? "" : "\n", pattern, does);
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
    if (patterns.empty() && positional == ":") positional = complete(option, arguments.front(), bash_forms);
    if (patterns.empty() || arguments.empty()) continue;
    const std::string pattern = fmt::format("{}", fmt::join(patterns, " | "));
    add_branch(all.options, pattern, complete(option, arguments[0], bash_forms) + "; return");
    if (arguments.size() > 1) add_branch(all.second, pattern, complete(option, arguments[1], bash_forms) + "; return");
  }
  add_branch(all.names, command.name, fmt::format("_freshet_words '{}'", names));
  add_branch(all.positional, command.name, positional);
}

}  // namespace

std::string write_bash_completion(const program_description& program) {
  cases all;
  std::string commands = "--help --version";
  for (const command_description& each : program.commands) {
    commands += " " + each.name;
    add(all, each);
  }
  std::string script{bash_script};
  for (const auto& [place, text] : {std::pair{"@COMMANDS@", commands},
                                    {"@OPTIONS@", all.options},
                                    {"@SECOND@", all.second},
                                    {"@NAMES@", all.names},
                                    {"@POSITIONAL@", all.positional}})
    script = replaced(std::move(script), place, text);
  return script;
}

}  // namespace freshet::tool
