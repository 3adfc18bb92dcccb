// The command `freshet`.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <string>

#include <freshet/version.hpp>

#include "tool/base/command_line.hpp"
#include "tool/base/failure.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/command/commands.hpp"
#include "tool/command/options.hpp"
#include "tool/ranks/ranks.hpp"

namespace freshet::tool {
namespace {

constexpr int failed = 1;

int run_freshet(int count, char** words) {
  program_parser program{"freshet", "Finds the fastest way to write and read files on your machine.",
                         "freshet " + std::string{version()}, std::string{all_examples()}};
  add_all_commands(program);
  explain_variables(program);
  // All ranks were given the same command line, so only the root prints --help, --version and mistakes. A rank that
  // left before the others have called all_ranks() would end the run.
  return program.run(count, words, all_ranks().is_root());
}

// Unlike fmt::print(), it does not mind if nobody can read it: the exit code has to do.
void print_error(const std::string& line) { std::fputs(("freshet: " + line + "\n").c_str(), stderr); }

// One line, at the root: all ranks end in the same way.
int report_interrupt(const interrupted& signal) {
  if (all_ranks().is_root())
    print_error(describe_interrupt(signal.signal) + (signal.so_far.empty() ? "" : "; ") + signal.so_far);
  return signal.exit_code();
}

// A pipe without a reader and a limit of file sizes show as a failure to write, whose reason the signal explains.
int report_failure(const std::string& failure) {
  const int signal = noted_interrupt();
  if (explains_failed_writes(signal)) return report_interrupt({signal, failure});
  print_error(failure);
  return signal == 0 ? failed : interrupted{signal}.exit_code();
}

int run_reporting_failures(int count, char** words) {
  try {
    join_ranks(words);
    note_interrupts();
    const int exit_code = run_freshet(count, words);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
    return report_failure(fmt::format("standard output: {}", std::generic_category().message(errno)));
  } catch (const interrupted& signal) {
    return report_interrupt(signal);
  } catch (const failed_elsewhere&) {
    return failed;
  } catch (const std::exception& failure) {
    return report_failure(describe_failure(failure));
  }
}

}  // namespace
}  // namespace freshet::tool

int main(int count, char** words) {
  const auto given = freshet::tool::start_with({count, words});
  const int exit_code = freshet::tool::run_reporting_failures(given.count, given.words);
  freshet::tool::leave_ranks(exit_code);
  return exit_code;
}
