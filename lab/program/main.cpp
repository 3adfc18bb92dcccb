// The command `freshet-lab`, which freshet starts: all commands of freshet, with those of the laboratory.
#include <cstdlib>

#include "lab/base/abilities.hpp"
#include "lab/ranks/ranks.hpp"
#include "tool/base/command_line.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/command/commands.hpp"
#include "tool/command/laboratory.hpp"
#include "tool/command/program.hpp"

namespace freshet::tool {
namespace {

int run_laboratory(const command_words& given) {
  (void)starting_program();
  join_ranks(given.words);
  note_interrupts();
  const auto program = make_parser();
  add_all_commands(*program);
  add_abilities(*program);
  add_help_command(*program);
  try {
    // All ranks were given the same command line, so only the root prints --help, --version and mistakes. A rank that
    // left before the others have called all_ranks() would end the run.
    return program->run(given.count, given.words, all_ranks().is_root());
  } catch (const failed_elsewhere&) {
    return EXIT_FAILURE;
  }
}

}  // namespace
}  // namespace freshet::tool

int main(int count, char** words) {
  namespace tool = freshet::tool;
  const tool::command_words given = tool::start_with({count, words});
  const int exit_code = tool::run_reporting_failures([&] { return tool::run_laboratory(given); },
                                                     [] { return tool::all_ranks().is_root(); });
  tool::leave_ranks(exit_code);
  return exit_code;
}
