#include "tool/usage/completion.hpp"

#include <fmt/core.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "tool/command/commands.hpp"
#include "tool/command/laboratory.hpp"

namespace freshet::tool {
namespace {

constexpr auto completion_footer =
    R"(Packages install these scripts. Without a package:

Examples:
  source <(freshet completion bash)         in ~/.bashrc
  source <(freshet completion zsh)          in ~/.zshrc, after compinit
  freshet completion fish | source          in ~/.config/fish/config.fish)";

struct shell {
  std::string_view name;
  std::string (*write)(const program_description&);
};

constexpr std::array<shell, 3> shells{
    {{"bash", write_bash_completion}, {"zsh", write_zsh_completion}, {"fish", write_fish_completion}}};

struct completion_options {
  std::optional<shell> chosen;
  program_parser* program = nullptr;
};

// Of commands that are passed on, only the program that has them knows the options.
int print_completion(const completion_options& options) {
  if (options.program->passes_on_any() && !find_laboratory().empty()) start_laboratory();
  fmt::print("{}", options.chosen->write(options.program->describe()));
  return 0;
}

}  // namespace

void add_completion_command(program_parser& program) {
  auto [command, options] = program.add_command(
      "completion", "Write a script with which a shell completes freshet's words", print_completion, completion_footer);
  options.program = &program;
  command.add("SHELL", options.chosen, make_choices("a shell", shells, &shell::name), "bash, zsh or fish").require();
}

}  // namespace freshet::tool
