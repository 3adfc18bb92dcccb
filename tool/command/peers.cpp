#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <freshet/error.hpp>
#include <freshet/version.hpp>

#include "tool/base/place.hpp"
#include "tool/base/size.hpp"
#include "tool/command/arguments.hpp"
#include "tool/command/commands.hpp"
#include "tool/command/run_log.hpp"
#include "tool/peer/contest.hpp"
#include "tool/peer/places.hpp"
#include "tool/report/json_output.hpp"
#include "tool/report/peers_report.hpp"
#include "tool/report/progress.hpp"
#include "tool/report/verdict_report.hpp"
#include "tool/trial/grid.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

constexpr auto peers_footer =
    R"(Each peer is a program of its own, built with what is here below $XDG_CACHE_HOME/freshet/peers. All write the same
file byte for byte, which is checked before anything is measured and again in every trial. A peer that cannot be built,
or fails, is shown with its last words, and the others go on; the exit code is 1 then.

Workloads:
  text    numbered lines, formed one by one
  bytes   one byte per call

Examples:
  freshet peers /data
  freshet peers /data --only freshet,c,rust --rounds 9
  freshet peers /data --only cpp-ofstream-ladder        what each step from naive to tuned is worth
  freshet peers /data --workload bytes
  freshet peers --list                                  what there is, and what is missing for it)";

struct peers_options {
  fs::path directory = ".";
  fs::path peers;  // empty: usual_peers()
  std::vector<std::string> only;
  peer_request wanted;  // size 0: the workload's
  unsigned rounds = 5;
  trial_order order = trial_order::random;
  std::uint64_t seed = 1;
  std::uint64_t max_bytes = std::uint64_t{512} << 30;
  double time_limit = 300;
  bool list = false;
  bool force = false;
  std::string json;
  log_options log;
};

peer_workload parse_peer_workload(std::string_view text) {
  for (const auto what : {peer_workload::text, peer_workload::bytes})
    if (to_string(what) == text) return what;
  throw std::invalid_argument{fmt::format("\"{}\" is not a workload of peers: expected text or bytes", text)};
}

std::uint64_t parse_buffer(std::string_view text) {
  const std::uint64_t bytes = parse_size(text);
  if (bytes == 0 || bytes > std::uint64_t{1} << 30)
    throw std::invalid_argument{fmt::format("\"{}\" is not a buffer: expected 1 to 1G", text)};
  return bytes;
}

// @throws CLI::ValidationError  for a name that there is not
peer_catalogue chosen_peers(const peers_options& options) {
  peer_catalogue all = read_peers(options.peers.empty() ? usual_peers() : fs::absolute(options.peers));
  try {
    select_rows(all, options.only, options.wanted);
  } catch (const std::invalid_argument& fault) {
    throw CLI::ValidationError{"--only", fault.what()};
  }
  return all;
}

// Refuses, before anything is written, what does not fit the disk or the budget. @throws freshet::error
void check_budget(const peers_options& options, const std::vector<peer_row>& rows) {
  const auto peers = static_cast<std::uint64_t>(std::ranges::count_if(rows, &peer_row::goes_on));
  const std::uint64_t twice = options.wanted.target == target_kind::overwrite ? 2 : 1;
  const std::uint64_t untimed = 4 * std::min(options.wanted.size, std::uint64_t{16} << 20);
  require_budget(options.directory, peers * twice * (options.wanted.size * options.rounds + untimed),
                 options.max_bytes);
  if (!options.force) require_space(options.directory, options.wanted.size);
}

// @throws freshet::error  where there is no trial, and no peer that failed has said why
void require_trials(const std::vector<peer_row>& rows, const fs::path& directory) {
  const auto told = [](const peer_row& row) { return !row.trials.empty() || !row.failure.empty(); };
  if (std::ranges::any_of(rows, told)) return;
  throw error{std::make_error_code(std::errc::operation_not_supported), "measure in", directory, error::no_offset,
              rows.empty() ? "no peer has that workload" : fmt::format("{}: {}", rows[0].name, rows[0].left_out)};
}

nlohmann::json trials_in_json(const std::vector<scheduled_trial>& order, const std::vector<peer_row>& rows) {
  nlohmann::json trials = nlohmann::json::array();
  for (const peer_trial* made : in_order(order, rows)) trials.push_back(*made);
  return trials;
}

int run_peers(const peers_options& options) {
  peer_catalogue all = chosen_peers(options);
  peer_builder builder{options.peers.empty() ? usual_peers() : fs::absolute(options.peers), build_cache(),
                       options.time_limit};
  leave_out_unbuildable(all, builder.tools());
  if (options.list) {
    fmt::print("{}", peers_list(all.rows, standard_screen()));
    return 0;
  }
  require_writable(options.json);
  check_budget(options, all.rows);
  run_log log{options.log, "peers", options.directory};
  peer_runner stand{options.directory, options.wanted, options.time_limit};
  progress line;
  peer_contest contest{all, builder, stand, [&](std::string_view doing, double left) { line.show(doing, left); }};
  contest.build();
  contest.check();
  const std::vector<scheduled_trial> order = schedule(all.rows.size(), options.rounds, options.order, options.seed);
  contest.measure(order, [&](const peer_trial& trial) { log.keep(make_record(trial)); });
  line.clear();
  const verdict found = peers_verdict(all.rows, options.wanted);
  if (words_on_stdout(options.json) && words_on_stdout(options.log))
    fmt::print("{}\nwritten in all: {}\n", peers_report(all.rows, options.wanted, found, standard_screen()),
               format_size(stand.bytes_written()));
  if (!options.json.empty())
    write_json({{"freshet", std::string{version()}},
                {"environment", log.about().env},
                {"workload", to_string(options.wanted.workload)},
                {"verdict", in_json(found)},
                {"peers", all.rows},
                {"trials", trials_in_json(order, all.rows)},
                {"bytes_written", stand.bytes_written()}},
               options.json);
  log.finish();
  require_trials(all.rows, options.directory);
  return std::ranges::all_of(all.rows, [](const peer_row& row) { return row.failure.empty(); }) ? 0 : 1;
}

void set_usual_size(peers_options& options) {
  if (options.wanted.size != 0) return;
  options.wanted.size = std::uint64_t{options.wanted.workload == peer_workload::text ? 1024U : 64U} << 20;
}

void add_request(CLI::App& command, peer_request& wanted) {
  add_parsed(command, "--workload", wanted.workload, parse_peer_workload, "text, or bytes, one per call (text)");
  add_parsed(command, "--size", wanted.size, parse_file_size, "Of the file (1G; bytes: 64M)");
  add_parsed(command, "--buffer", wanted.buffer, parse_buffer, "Handed to the system at a time (each peer's own)");
  command.add_flag("--reserve", wanted.reserve, "Set space for the whole size aside first");
  command.add_flag("--write-through", wanted.write_through, "Every write is on the device before the next");
  command.add_flag("--no-cache", wanted.no_cache, "Past the page cache");
  command.add_flag("--sequential", wanted.sequential, "Tell the system that the file is used from front to back");
  add_parsed(command, "--target", wanted.target, parse_target, "new files, or overwrite old ones (new)");
  add_parsed(command, "--memory", wanted.memory, parse_memory,
             "Memory that the page cache finds: rested, free for long, or reused, just freed (rested)");
}

}  // namespace

void add_peers_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<peers_options>();
  CLI::App* command =
      app.add_subcommand("peers", "Measure the same program in other languages and libraries, side by side");
  command->add_option("DIR", options->directory, "Where they write")->capture_default_str();
  command->add_option("--only", options->only, "Families, peers and variants, a,b,… (all)")->delimiter(',');
  add_request(*command, options->wanted);
  command->add_option("--rounds", options->rounds, "Trials of each (5)")->check(CLI::Range(1U, 10000U));
  add_order(*command, options->order);
  command->add_option("--seed", options->seed, "Of the random order (1)");
  command->add_option("--peers", options->peers, "The folder of the peers (those that came with freshet)")
      ->check(CLI::ExistingDirectory);
  add_parsed(*command, "--time-limit", options->time_limit, parse_seconds,
             "What takes longer, to build, to start or to write a file, has failed (5m)");
  command->add_flag("--list", options->list, "Say only what peers there are, and what is missing");
  add_parsed(*command, "--max-bytes", options->max_bytes, parse_size, "Write no more than this in all (512G)");
  command->add_flag("--force", options->force, "Even if the file does not fit the free space");
  command->add_option("--json", options->json, "Write all trials to this file; - is standard output");
  add_log_options(*command, options->log);
  command->footer(peers_footer);
  command->callback([options, &exit_code] {
    set_usual_size(*options);
    exit_code = run_peers(*options);
  });
}

}  // namespace freshet::tool
