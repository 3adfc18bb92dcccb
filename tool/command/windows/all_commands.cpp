#include <fmt/format.h>

#include <algorithm>

#include "tool/command/commands.hpp"
#include "tool/command/laboratory.hpp"

namespace freshet::tool {
namespace {

constexpr auto examples = R"(Examples:
  freshet methods D:\data                   which methods work there
  freshet text sample.txt --size 2G         a text file, written as the profile says
  freshet text sample.txt --method overlapped --block 4M
  freshet bytes D:\data\bytes               one byte per call, by fwrite, putc, streams and freshet
  freshet COMMAND --help                    all options of a command; freshet help COMMAND is the same
The other commands of freshet need Linux.
Sizes take K, M, G and T as powers of two; MB/s are 10^6 bytes per second.)";

}  // namespace

void add_all_commands(program_parser& program) {
  for (const auto add : {add_text_command, add_methods_command}) add(program);
  const auto lack = [&](std::string_view name) {
    program.lack_command(std::string{name},
                         fmt::format("{} needs Linux; on Windows, there are text, bytes and methods", name));
  };
  std::ranges::for_each(commands_of_linux, lack);
  std::ranges::for_each(laboratory_commands_of_linux(), lack);
}

std::string all_examples() { return examples; }

void explain_variables(program_parser& program) {
  program.explain_variable("FRESHET_PROFILE",
                           "The profile to read instead of the user's and the system's; none: no profile at all.");
  program.explain_variable("FRESHET_PRIOR",
                           "With none, programs that use the library begin each file as if nothing were known.");
  program.explain_variable(
      "FRESHET_LOG",
      "With 1, programs that use the library print a line for each file that they close: its speed, "
      "and the methods that it went through.");
  program.explain_variable("APPDATA", "freshet\\profile.toml below it is the user's profile.");
  program.explain_variable("SOURCE_DATE_EPOCH", "The date of what freshet help --man writes, in seconds since 1970.");
}

}  // namespace freshet::tool
