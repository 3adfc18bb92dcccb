// The subcommands: each adds itself to the command line and, where it is the one called, sets the exit code.
#pragma once

namespace CLI {
class App;
}

namespace freshet::tool {

void add_bench_command(CLI::App& app, int& exit_code);
void add_bytes_command(CLI::App& app, int& exit_code);
void add_compare_command(CLI::App& app, int& exit_code);
void add_corpus_command(CLI::App& app, int& exit_code);
void add_encrypt_command(CLI::App& app, int& exit_code);
void add_history_command(CLI::App& app, int& exit_code);
void add_methods_command(CLI::App& app, int& exit_code);
void add_peers_command(CLI::App& app, int& exit_code);
void add_profile_command(CLI::App& app, int& exit_code);
void add_report_command(CLI::App& app, int& exit_code);
void add_sweep_command(CLI::App& app, int& exit_code);
void add_text_command(CLI::App& app, int& exit_code);
void add_tune_command(CLI::App& app, int& exit_code);
void add_writetest_command(CLI::App& app, int& exit_code);

}  // namespace freshet::tool
