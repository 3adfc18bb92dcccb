#include "tool/usage/completion.hpp"

#include <fmt/core.h>

#include <array>
#include <string>

#include "tool/command/commands.hpp"

namespace freshet::tool {
namespace {

constexpr auto completion_footer =
    R"(Packages install these scripts. Without a package:

Examples:
  source <(freshet completion bash)         in ~/.bashrc
  source <(freshet completion zsh)          in ~/.zshrc, after compinit
  freshet completion fish | source          in ~/.config/fish/config.fish)";

struct completion_options {
  std::string shell;
  program_parser* program = nullptr;
};

struct shell {
  std::string name;
  std::string (*write)(const program_description&);
};

const std::array<shell, 3>& shells() {
  static const std::array<shell, 3> all{
      {{"bash", write_bash_completion}, {"zsh", write_zsh_completion}, {"fish", write_fish_completion}}};
  return all;
}

int print_completion(const completion_options& options) {
  for (const shell& each : shells())
    if (each.name == options.shell) fmt::print("{}", each.write(options.program->describe()));
  return 0;
}

}  // namespace

void add_completion_command(program_parser& program) {
  auto [command, options] = program.add_command(
      "completion", "Write a script with which a shell completes freshet's words", print_completion, completion_footer);
  options.program = &program;
  std::vector<std::string> names;
  for (const shell& each : shells()) names.push_back(each.name);
  command.add_choice("SHELL", options.shell, names, "a shell", "bash, zsh or fish").require();
}

}  // namespace freshet::tool
