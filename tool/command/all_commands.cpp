#include "tool/command/commands.hpp"

#include <array>
#include <utility>

#include "tool/command/laboratory.hpp"

namespace freshet::tool {
namespace {

// Examples of an ability of the laboratory, or of freshet's own commands, and their lines.
constexpr auto examples = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"", R"(  freshet tune /data                        the fastest way to write and read there, saved as its profile
  freshet methods /data                     which methods work there
  freshet doctor /data                      what distorts measurements there, and what to do
  freshet bench /data --method buffered,uring --block 256K,4M
  freshet bench /data --class cold,warm     the ways to read there, side by side
)"},
    {"writetest", R"(  freshet writetest --i 3 --mb 500 --stdio --aio --genio
                                            several methods in turn, then one after another
)"},
    {"", R"(  freshet text sample.txt --size 2G         a text file, written as the profile says
)"},
    {"bytes", R"(  freshet bytes /data/bytes                 one byte per call, by fwrite, putc, streams and freshet
)"},
    {"peers", R"(  freshet peers /data                       the same programs in other languages, side by side
)"},
    {"corpus", R"(  freshet corpus /data/in --files 100 --lines 10000 --chars 80
                                            text files to process line by line
)"},
    {"encrypt", R"(  freshet encrypt /data/in /data/out --work 100
                                            each line of the files encrypted, as Base64
)"},
    {"sweep", R"(  freshet sweep /data                       strategies to encrypt files, by threads and work; 2 minutes
)"},
    {"filesystems", R"(  sudo freshet filesystems /data            which file system is fastest, made and mounted how
)"},
    {"campaign",
     R"(  freshet campaign plan.toml                a matrix of measurements, with caches dropped or a reboot before each
)"},
    {"", R"(  freshet history                           what was measured, when, and on what
  freshet compare last~1 last --fail-if-worse 5%
                                            whether the last run differs from the one before; exit code 1 if slower
  freshet report                            all that was measured, as one HTML page
  freshet seal letters.tar letters.sealed --encrypt
                                            encrypted and authenticated; asks for a passphrase
  freshet COMMAND --help                    all options of a command; freshet help COMMAND is the same
)"},
});
constexpr std::string_view units = "Sizes take K, M, G and T as powers of two; MB/s are 10^6 bytes per second.";

}  // namespace

void add_all_commands(program_parser& program) {
  for (const auto add :
       {add_tune_command, add_text_command, add_bench_command, add_history_command, add_compare_command,
        add_report_command, add_methods_command, add_doctor_command, add_profile_command, add_seal_command,
        add_unseal_command, add_cat_command, add_completion_command})
    add(program);
}

std::string all_examples() {
  std::string text = "Examples:\n";
  for (const auto& [ability, lines] : examples)
    if (ability.empty() || has_laboratory_command(ability)) text += lines;
  return text += units;
}

void explain_variables(program_parser& program) {
  program.explain_variable("FRESHET_PROFILE",
                           "The profile to read instead of the user's and the system's; none: no profile at all.");
  program.explain_variable("FRESHET_PRIOR",
                           "With none, programs that use the library begin each file as if nothing were known.");
  program.explain_variable(
      "FRESHET_LOG",
      "With 1, programs that use the library print a line for each file that they close: its speed, "
      "and the methods that it went through.");
  program.explain_variable("XDG_CONFIG_HOME", "freshet/profile.toml below it is the user's profile (~/.config).");
  program.explain_variable("XDG_STATE_HOME", "freshet/trials.sqlite below it keeps all trials (~/.local/state).");
  if (has_laboratory_command("peers"))
    program.explain_variable("XDG_CACHE_HOME", "freshet/peers below it has what freshet peers built (~/.cache).");
  program.explain_variable("SOURCE_DATE_EPOCH", "The date of what freshet help --man writes, in seconds since 1970.");
}

}  // namespace freshet::tool
