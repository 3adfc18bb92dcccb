// The command `freshet`.
#include "tool/base/command_line.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/command/commands.hpp"
#include "tool/command/laboratory.hpp"
#include "tool/command/program.hpp"

namespace freshet::tool {
namespace {

int run_command(const command_words& given) {
  if (launched_processes() > 1) start_laboratory();  // only it connects the processes of a run
  note_interrupts();
  const auto program = make_parser();
  add_all_commands(*program);
  pass_on_to_laboratory(*program);
  add_help_command(*program);
  return program->run(given.count, given.words, true);
}

}  // namespace
}  // namespace freshet::tool

int main(int count, char** words) {
  namespace tool = freshet::tool;
  const tool::command_words given = tool::start_with({count, words});
  return tool::run_reporting_failures([&] { return tool::run_command(given); }, [] { return true; });
}
