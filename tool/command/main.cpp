// The command `freshet`.
#include <fmt/format.h>
#include <signal.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <string>

#include <freshet/version.hpp>

#include "tool/base/failure.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/command/commands.hpp"
#include "tool/command/options.hpp"
#include "tool/ranks/ranks.hpp"

namespace freshet::tool {
namespace {

constexpr auto examples = R"(Examples:
  freshet tune /data                        the fastest way to write and read there, saved as its profile
  freshet methods /data                     which methods work there
  freshet doctor /data                      what distorts measurements there, and what to do
  freshet bench /data --method buffered,uring --block 256K,4M
  freshet bench /data --class cold,warm     the ways to read there, side by side
  freshet writetest --i 3 --mb 500 --stdio --aio --genio
                                            several methods in turn, then one after another
  freshet text sample.txt --size 2G         a text file, written as the profile says
  freshet bytes /data/bytes                 one byte per call, by fwrite, putc, streams and freshet
  freshet peers /data                       the same programs in other languages, side by side
  freshet corpus /data/in --files 100 --lines 10000 --chars 80
                                            text files to process line by line
  freshet encrypt /data/in /data/out --work 100
                                            each line of the files encrypted, as Base64
  freshet sweep /data                       strategies to encrypt files, by threads and work; 2 minutes
  sudo freshet filesystems /data            which file system is fastest, made and mounted how
  freshet campaign plan.toml                a matrix of measurements, with caches dropped or a reboot before each
  freshet history                           what was measured, when, and on what
  freshet compare last~1 last --fail-if-worse 5%
                                            whether the last run differs from the one before; exit code 1 if slower
  freshet report                            all that was measured, as one HTML page
  freshet seal letters.tar letters.sealed --encrypt
                                            encrypted and authenticated; asks for a passphrase
  freshet COMMAND --help                    all options of a command; freshet help COMMAND is the same
Sizes take K, M, G and T as powers of two; MB/s are 10^6 bytes per second.)";

constexpr int failed = 1;

void explain_variables(program_parser& program) {
  program.explain_variable("FRESHET_PROFILE",
                           "The profile to read instead of the user's and the system's; none: no profile at all.");
  program.explain_variable(
      "FRESHET_LOG",
      "With 1, programs that use the library print a line for each file that they close: its speed, "
      "and the methods that it went through.");
  program.explain_variable("XDG_CONFIG_HOME", "freshet/profile.toml below it is the user's profile (~/.config).");
  program.explain_variable("XDG_STATE_HOME", "freshet/trials.sqlite below it keeps all trials (~/.local/state).");
  program.explain_variable("XDG_CACHE_HOME", "freshet/peers below it has what freshet peers built (~/.cache).");
  program.explain_variable("SOURCE_DATE_EPOCH", "The date of what freshet help --man writes, in seconds since 1970.");
}

int run_freshet(int count, char** words) {
  program_parser program{"freshet", "Finds the fastest way to write and read files on your machine.",
                         "freshet " + std::string{version()}, examples};
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
  if (signal == SIGPIPE || signal == SIGXFSZ) return report_interrupt({signal, failure});
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
  const int exit_code = freshet::tool::run_reporting_failures(count, words);
  freshet::tool::leave_ranks(exit_code);
  return exit_code;
}
