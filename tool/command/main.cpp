// The command `freshet`.
#include "tool/base/command_line.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/command/commands.hpp"
#include "tool/command/laboratory.hpp"
#include "tool/command/program.hpp"

int main(int count, char** words) {
  using namespace freshet::tool;
  const command_words given = start_with({count, words});
  const auto work = [&] {
    if (launched_processes() > 1) start_laboratory();  // only it connects the processes of a run
    note_interrupts();
    const auto program = make_parser();
    add_all_commands(*program);
    pass_on_to_laboratory(*program);
    add_help_command(*program);
    return program->run(given.count, given.words, true);
  };
  return run_reporting_failures(work, [] { return true; });
}
