#include "tool/command/program.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <system_error>

#include <freshet/version.hpp>

#include "tool/base/failure.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/command/commands.hpp"

namespace freshet::tool {
namespace {

// Unlike fmt::print(), it does not mind if nobody can read it: the exit code has to do.
void print_error(const std::string& line) { std::fputs(("freshet: " + line + "\n").c_str(), stderr); }

int report_interrupt(const interrupted& signal, const std::function<bool()>& prints) {
  if (prints()) print_error(describe_interrupt(signal.signal) + (signal.so_far.empty() ? "" : "; ") + signal.so_far);
  return signal.exit_code();
}

// A pipe without a reader and a limit of file sizes show as a failure to write, whose reason the signal explains.
int report_failure(const std::string& failure, const std::function<bool()>& prints) {
  const int signal = noted_interrupt();
  if (explains_failed_writes(signal)) return report_interrupt({signal, failure}, prints);
  print_error(failure);
  return signal == 0 ? EXIT_FAILURE : interrupted{signal}.exit_code();
}

}  // namespace

int run_reporting_failures(const std::function<int()>& work, const std::function<bool()>& prints) {
  try {
    const int exit_code = work();
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
    return report_failure(fmt::format("standard output: {}", std::generic_category().message(errno)), prints);
  } catch (const interrupted& signal) {
    return report_interrupt(signal, prints);
  } catch (const std::exception& failure) {
    return report_failure(describe_failure(failure), prints);
  }
}

std::unique_ptr<program_parser> make_parser() {
  auto program =
      std::make_unique<program_parser>("freshet", "Finds the fastest way to write and read files on your machine.",
                                       "freshet " + std::string{version()}, all_examples());
  explain_variables(*program);
  return program;
}

}  // namespace freshet::tool
