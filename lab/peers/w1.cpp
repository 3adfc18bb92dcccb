#include "lab/peers/w1.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "lab/peers/building.hpp"
#include "lab/peers/contest.hpp"
#include "lab/peers/report.hpp"
#include "tool/base/json_output.hpp"
#include "tool/base/place.hpp"
#include "tool/base/text.hpp"
#include "tool/report/screen.hpp"

namespace freshet::tool {
namespace {

constexpr std::uint64_t published_size = std::uint64_t{100} << 20;
constexpr double seconds_of_a_peer = 300;  // to build, to start or to write a file; then it has failed

// The peers of the published programs, or the first variant of each, and the options that were published for them.
std::map<std::string, std::set<std::string>> list_published_peers(const peer_catalogue& all) {
  std::map<std::string, std::set<std::string>> options;
  for (const peer& each : all.peers)
    for (const published_row& row : each.published) {
      if (row.table != "programs" || row.size != published_size) continue;
      const auto at = std::ranges::find_if(
          all.rows, [&](const peer_row& one) { return one.name == row.peer || one.name.starts_with(row.peer + '/'); });
      if (at != all.rows.end()) options[at->name].insert(row.options.begin(), row.options.end());
    }
  return options;
}

std::vector<peers_with_options> list_combinations(const preset_options& options, toolchains& tools) {
  const peer_catalogue all = read_peers(default_peers());
  const auto published = list_published_peers(all);
  std::vector<peers_with_options> combinations;
  for (const bool no_cache : {false, true})
    for (const bool write_through : {false, true})
      for (const bool reserve : {false, true}) {
        const peer_request wanted{.size = options.size != 0 ? options.size : published_size,
                                  .reserve = reserve,
                                  .write_through = write_through,
                                  .no_cache = no_cache,
                                  .memory = options.memory};
        const auto has_them = [&](const peer_row& row) {
          const auto known = published.find(row.name);
          return known != published.end() && std::ranges::all_of(options_of(wanted), [&](const std::string& option) {
                   return known->second.contains(option);
                 });
        };
        combinations.push_back({wanted, all});
        peers_with_options& one = combinations.back();
        std::erase_if(one.all.rows, [&](const peer_row& row) { return !has_them(row); });
        select_rows(one.all, {}, wanted);
        leave_out_unbuildable(one.all, tools);
      }
  return combinations;
}

// Says on standard error what will be measured. @throws freshet::error  if that exceeds the budget or the disk
void check_budget(const preset_options& options, const std::vector<peers_with_options>& combinations) {
  constexpr std::uint64_t checked = 16 << 20;  // of each, before anything is timed
  std::uint64_t written = 0;
  std::uint64_t trials = 0;
  for (const peers_with_options& each : combinations) {
    const auto peers = static_cast<std::uint64_t>(std::ranges::count_if(each.all.rows, &peer_row::is_active));
    const std::uint64_t size = each.wanted.size;
    trials += peers * options.series.rounds;
    written += peers * (size * options.series.rounds + std::min(checked, size));
  }
  if (trials == 0)
    refuse(std::errc::operation_not_supported, "measure in", options.directory,
           "none of the programs can be built here; freshet peers --list says what is missing");
  options.series.check(options.directory, written, combinations.front().wanted.size);
  fmt::print(stderr, "freshet bench: {} trials, at most {} to be written\n", trials, format_size(written));
}

// The peers with one combination of options, at work.
struct combination {
  peers_with_options& peers;
  peer_runner runner;
  peer_contest contest;

  combination(peers_with_options& of, const preset_options& options, peer_builder& builder,
              const peer_contest::progress_listener& show)
      : peers{of}, runner{options.directory, of.wanted, seconds_of_a_peer}, contest{peers.all, builder, runner, show} {}
  combination(const combination&) = delete;
};

// Calls `keep` with each trial. Returns how many bytes they wrote.
std::uint64_t measure(std::vector<peers_with_options>& listed, const preset_options& options, peer_builder& builder,
                      const peer_contest::trial_listener& keep) {
  progress line;
  std::deque<combination> all;
  for (peers_with_options& each : listed)
    all.emplace_back(each, options, builder, [&](std::string_view doing, double left) { line.show(doing, left); });
  for (combination& each : all) {
    each.contest.build();
    each.contest.check();
  }
  const series_options& series = options.series;
  for (const scheduled_trial& turn : schedule(all.size(), series.rounds, series.order, series.seed)) {
    combination& next = all[turn.plan];
    auto order = schedule(next.peers.all.rows.size(), 1, series.order, series.seed + turn.round);
    for (scheduled_trial& each : order) each.round = turn.round;
    next.contest.measure(order, keep);
  }
  line.clear();
  std::uint64_t written = 0;
  for (const combination& each : all) written += each.runner.bytes_written();
  return written;
}

// Programs that cannot be built here, each once.
std::string describe_absent(const std::vector<peers_with_options>& all) {
  std::map<std::string, std::string> reasons;
  for (const peers_with_options& each : all)
    for (const peer_row& row : each.all.rows)
      if (!row.left_out.empty()) reasons[row.name] = row.left_out;
  std::string text;
  for (const auto& [name, reason] : reasons) text += wrapped(fmt::format("{}: {}", name, reason));
  return text;
}

std::string format_w1(const std::vector<peers_with_options>& all, std::span<const program_cell> cells) {
  const std::uint64_t size = all.front().wanted.size;
  return fmt::format("\"Creating text files\", 2006, and today, to close; files of {}; MB of 2^20 bytes:\n",
                     format_size(size)) +
         format_by_options(cells, standard_screen()) +
         (size == published_size
              ? ""
              : fmt::format("Published figures are of files of {}: without --size they stand beside today's.\n",
                            format_size(published_size))) +
         describe_absent(all);
}

// Says on standard error what failed. Returns whether anything did.
bool report_failed(const std::vector<peers_with_options>& all) {
  std::set<std::string> failed;
  for (const peers_with_options& each : all)
    for (const peer_row& row : each.all.rows)
      if (!row.failure.empty()) failed.insert(fmt::format("{}: {}", row.name, row.failure));
  for (const std::string& each : failed) fmt::print(stderr, "freshet bench: {}\n", each);
  return !failed.empty();
}

}  // namespace

int run_w1(const preset_options& options) {
  peer_builder builder{default_peers(), build_cache(), seconds_of_a_peer};
  std::vector<peers_with_options> all = list_combinations(options, builder.tools());
  check_budget(options, all);
  run_log log{options.log.with_seed(options.series.seed), "peers", options.directory};
  nlohmann::json trials = nlohmann::json::array();
  const std::uint64_t written = measure(all, options, builder, [&](const peer_trial& trial) {
    log.keep(make_record(trial));
    trials.push_back(trial);
  });
  const std::vector<program_cell> cells = compare_by_options(all);
  const int exit_code =
      log.publish(fmt::format("{}\n{}", format_w1(all, cells), format_end(written, options.series.seed)),
                  {{"preset", "w1"}, {"cells", cells}, {"trials", trials}, {"bytes_written", written}});
  return report_failed(all) ? 1 : exit_code;
}

}  // namespace freshet::tool
