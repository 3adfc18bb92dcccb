#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/peers/building.hpp"
#include "lab/peers/contest.hpp"
#include "lab/peers/report.hpp"
#include "lab/peers/w1.hpp"
#include "tool/base/json_output.hpp"
#include "tool/base/place.hpp"
#include "tool/base/text.hpp"
#include "tool/command/arguments.hpp"
#include "tool/command/laboratory.hpp"
#include "tool/command/results.hpp"
#include "tool/report/screen.hpp"
#include "tool/report/verdict_report.hpp"
#include "tool/trial/series.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

constexpr auto peers_footer =
    R"(Each peer is a program of its own, built with the installed tools, below $XDG_CACHE_HOME/freshet/peers. All peers
write the same file byte for byte, which is checked before anything is measured and again in every trial. A peer that
cannot be built, or fails, is shown with its last output, and the others go on; the exit code is 1 then.

Workloads:
  text    numbered lines, formatted one by one
  bytes   one byte per call

Examples:
  freshet peers /data
  freshet peers /data --only freshet,c,rust --rounds 9
  freshet peers /data --only cpp-ofstream-ladder        what each step from naive to tuned is worth
  freshet peers /data --workload bytes
  freshet peers --list                                  the peers, and what is missing for them)";

struct peers_options {
  fs::path directory = ".";
  fs::path peers;  // empty: default_peers()
  std::vector<std::string> only;
  peer_request wanted;  // size 0: the workload's
  series_options series = {.rounds = 5, .max_bytes = std::uint64_t{512} << 30};
  double time_limit = 300;
  bool list = false;
  log_options log;
};

std::uint64_t parse_buffer(std::string_view text) {
  const std::uint64_t bytes = parse_size(text);
  if (bytes == 0 || bytes > std::uint64_t{1} << 30) reject(text, "a buffer size", "expected 1 to 1G");
  return bytes;
}

// @throws usage_error  for an unknown name
peer_catalogue chosen_peers(const peers_options& options) {
  peer_catalogue all = read_peers(options.peers.empty() ? default_peers() : fs::absolute(options.peers));
  try {
    select_rows(all, options.only, options.wanted);
  } catch (const std::invalid_argument& fault) {
    throw usage_error{"--only", fault.what()};
  }
  return all;
}

// Checks, before anything is written, that it fits the disk and the budget. @throws freshet::error  otherwise
void check_budget(const peers_options& options, const std::vector<peer_row>& rows) {
  const auto peers = static_cast<std::uint64_t>(std::ranges::count_if(rows, &peer_row::is_active));
  const std::uint64_t twice = options.wanted.target == target_kind::overwrite ? 2 : 1;
  const std::uint64_t untimed = 4 * std::min(options.wanted.size, std::uint64_t{16} << 20);
  options.series.check(options.directory, peers * twice * (options.wanted.size * options.series.rounds + untimed),
                       options.wanted.size);
}

// @throws freshet::error  if there is no trial, and no failed peer gives the reason
void require_trials(const std::vector<peer_row>& rows, const fs::path& directory) {
  const auto has_result = [](const peer_row& row) { return !row.measured.trials.empty() || !row.failure.empty(); };
  if (std::ranges::any_of(rows, has_result)) return;
  refuse(std::errc::operation_not_supported, "measure in", directory,
         rows.empty() ? "no peer has that workload" : fmt::format("{}: {}", rows[0].name, rows[0].left_out));
}

int run_peers(const peers_options& given) {
  peers_options options = given;
  if (options.list && !options.log.exports.empty()) throw usage_error{"--export", "--list has no trials to export"};
  if (options.wanted.size == 0) options.wanted.size = find_workload(options.wanted.workload).peer_size;
  peer_catalogue all = chosen_peers(options);
  peer_builder builder{options.peers.empty() ? default_peers() : fs::absolute(options.peers), build_cache(),
                       options.time_limit};
  leave_out_unbuildable(all, builder.tools());
  if (options.list) {
    options.log.require_writable();
    options.log.publish(format_peer_list(all.rows, standard_screen()), {{"peers", all.rows}});
    return 0;
  }
  check_budget(options, all.rows);
  run_log log{options.log.with_seed(options.series.seed), "peers", options.directory};
  peer_runner runner{options.directory, options.wanted, options.time_limit};
  progress line;
  peer_contest contest{all, builder, runner, [&](std::string_view doing, double left) { line.show(doing, left); }};
  contest.build();
  contest.check();
  contest.count_system_calls();
  const std::vector<scheduled_trial> order =
      schedule(all.rows.size(), options.series.rounds, options.series.order, options.series.seed);
  nlohmann::json trials = nlohmann::json::array();
  contest.measure(order, [&](const peer_trial& trial) {
    log.keep(make_record(trial));
    trials.push_back(trial);
  });
  line.clear();
  const class_verdict result = rank_peers(all.rows, options.wanted);
  const int exit_code = log.publish(fmt::format("{}\n{}", format_peers(all, options.wanted, result, standard_screen()),
                                                format_end(runner.bytes_written(), options.series.seed)),
                                    {{"workload", to_string(options.wanted.workload)},
                                     {"verdict", result},
                                     {"peers", all.rows},
                                     {"trials", trials},
                                     {"bytes_written", runner.bytes_written()}});
  require_trials(all.rows, options.directory);
  std::vector<std::string> failed;
  for (const peer_row& row : all.rows)
    if (!row.failure.empty()) failed.push_back(row.name);
  if (!failed.empty()) fmt::print(stderr, "freshet peers: not measured: {}\n", fmt::join(failed, ", "));
  return failed.empty() ? exit_code : 1;
}

// @throws std::invalid_argument
fs::path parse_directory(std::string_view text) {
  if (!fs::is_directory(text)) reject(text, "a directory", "expected the folder of the peers");
  return text;
}

void add_request(command_parser& command, peer_request& wanted) {
  command.add("--workload", wanted.workload, make_choices("a peers' workload", peer_workloads()),
              "text, or bytes, one per call");
  command.add("--size SIZE", wanted.size, parse_file_size,
              fmt::format("Bytes of the file ({}; bytes: {})",
                          format_size_argument(find_workload(workload_kind::text).peer_size),
                          format_size_argument(find_workload(workload_kind::bytes).peer_size)));
  command.add("--buffer SIZE", wanted.buffer, parse_buffer, "Bytes handed to the system at a time (each peer's own)");
  command.add_flag("--reserve", wanted.reserve, "Allocate the disk space first");
  command.add_flag("--write-through", wanted.write_through, "Every write is on the device before the next");
  command.add_flag("--no-cache", wanted.no_cache, "Bypass the page cache");
  command.add_flag("--sequential", wanted.sequential, "Tell the system that the file is used from front to back");
  add_target_option(command, wanted.target);
  add_memory_option(command, wanted.memory);
}

}  // namespace

void add_peers_command(program_parser& program) {
  run_preset() = run_w1;
  auto [command, options] = add_laboratory_command(program, "peers", run_peers, peers_footer);
  command.add("DIR", options.directory, "The directory to write in");
  command.add_list("--only NAME,...", options.only, parse_words, "Families, peers and variants, a,b,… (all)")
      .take_one_at_a_time();
  add_request(command, options.wanted);
  add_series_options(command, options.series, "peer");
  command.add("--peers DIRECTORY", options.peers, parse_directory,
              "The folder of the peers (those that came with freshet)");
  command.add("--time-limit TIME", options.time_limit, parse_seconds,
              "A peer that takes longer to build, to start or to write a file has failed", format_seconds_argument);
  command.add_flag("--list", options.list, "Only list the peers, and what is missing for them");
  add_log_options(command, options.log);
  command.explain_exit(1, "it failed, or one of the peers did");
}

}  // namespace freshet::tool
