#include "tool/command/commands.hpp"

namespace freshet::tool {

void add_all_commands(program_parser& program) {
  for (const auto add :
       {add_tune_command,      add_text_command,       add_bench_command,   add_bytes_command,  add_sustain_command,
        add_peers_command,     add_corpus_command,     add_encrypt_command, add_sweep_command,  add_history_command,
        add_compare_command,   add_report_command,     add_methods_command, add_doctor_command, add_filesystems_command,
        add_writetest_command, add_campaign_command,   add_profile_command, add_seal_command,   add_unseal_command,
        add_cat_command,       add_completion_command, add_help_command})
    add(program);
}

}  // namespace freshet::tool
