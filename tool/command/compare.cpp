#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tool/analysis/comparison_text.hpp"
#include "tool/analysis/gate.hpp"
#include "tool/analysis/groups.hpp"
#include "tool/analysis/sides.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/command/arguments.hpp"
#include "tool/command/commands.hpp"
#include "tool/command/results.hpp"
#include "tool/command/stored_runs.hpp"
#include "tool/report/compare_report.hpp"
#include "tool/report/history_report.hpp"
#include "tool/search/reasons.hpp"
#include "tool/store/store_set.hpp"

namespace freshet::tool {
namespace {

constexpr auto compare_footer =
    R"(A and B are two runs ("12", "last", "last~1"), two methods ("uring", "direct"; also baselines and strategies), or two
environments, by a file system, device, directory, kernel, version or processor ("ext4", "/data", "6.1.0-18-amd64"), or
by one of several stores ("laptop" for laptop.sqlite).
With --since instead of A and B, A is everything measured before that time and B everything from then on. Only plans
that both sides measured are compared, and never across durability classes. B is faster or slower if the whole range
lies beyond 5 %, as fast if all of it lies within, after six rounds or more; p, corrected for the number of plans, is
the chance of so clear a difference where there is none. Trials of one run are compared round by round; two runs are
not, so that a drift of the machine between them looks like a change. --fail-if-worse takes off the time for which other
programs had the processors.

Examples:
  freshet compare last~1 last               the last run against the one before
  freshet compare last~1 last --fail-if-worse 5%
                                            for use in CI: exit code 1 if something is certainly slower by more than 5 %, 3
                                            if there are too few rounds, or they vary too much, to rule out 25 %
  freshet compare last~1 last --across reserve
                                            a run with --reserve against one without
  freshet compare uring direct --run last   two methods within one run
  freshet compare --since 2026-03-01        since the update
  freshet compare --store laptop.sqlite --store server.sqlite laptop server     two machines)";

struct compare_options {
  std::vector<std::string> sides;
  stored_options wanted;
  std::string within;  // a run; empty: all
  std::optional<std::string> across;
  metric which = metric::ranking;
  std::optional<double> tolerated;
  result_files results;
};

/// Which side a trial is on: 0, 1, or 2 for neither; and the place that it is compared within.
struct division {
  std::array<std::string, 2> names;
  matching how = matching::plans;
  bool within_places = true;
  std::function<std::size_t(const run&, const record&)> side_of;
  std::vector<std::string> changes = {};
};

// Differences between two environments, which may explain a change.
std::vector<std::string> find_changes(const environment& before, const environment& after) {
  std::vector<std::string> changes;
  const auto note = [&](std::string_view property, const std::string& from, const std::string& to) {
    if (from != to)
      changes.push_back(fmt::format("{} {} -> {}", property, from.empty() ? "none" : from, to.empty() ? "none" : to));
  };
  note("machine", before.machine, after.machine);
  note("kernel", before.kernel, after.kernel);
  note("freshet", before.version, after.version);
  note("directory", before.directory, after.directory);
  note("file system", describe_file_system(before), describe_file_system(after));
  note("mount options", before.mount_options, after.mount_options);
  note("scheduler", before.scheduler, after.scheduler);
  note("governor", before.governor, after.governor);
  return changes;
}

division divide_by_runs(std::span<const run> runs, const std::vector<std::string>& words) {
  const run& first = find_run(runs, words[0]);
  const run& second = find_run(runs, words[1]);
  if (first.id == second.id) throw std::runtime_error{fmt::format("both are run {}", first.id)};
  const auto name = [](const run& each) {
    return fmt::format("run {}, {} ({})", each.id, format_time(each.started), each.words);
  };
  return {.names = {name(first), name(second)},
          .within_places = false,
          .side_of = [a = first.id, b = second.id](const run& each, const record&) -> std::size_t {
            return each.id == a ? 0 : each.id == b ? 1 : 2;
          },
          .changes = find_changes(first.env, second.env)};
}

// The store stands for the machine whose trials it has.
bool is_environment_of(const run& one, const std::string& word) {
  const environment& env = one.env;
  const std::array whole{env.file_system, env.device, env.directory, env.kernel, env.version, env.scheduler};
  return std::ranges::find(whole, word) != whole.end() || env.machine.find(word) != std::string::npos ||
         (!word.empty() && (env.device_model == word || one.store == word));
}

division divide_by_environments(const std::vector<std::string>& words) {
  return {.names = {words[0], words[1]},
          .within_places = false,
          .side_of = [words](const run& each, const record&) -> std::size_t {
            const bool first = is_environment_of(each, words[0]);
            if (first == is_environment_of(each, words[1])) return 2;  // a trial on both sides decides nothing
            return first ? 0 : 1;
          }};
}

division divide_by_methods(const std::vector<std::string>& words) {
  return {.names = {words[0], words[1]},
          .how = matching::methods,
          .side_of = [words](const run&, const record& trial) -> std::size_t {
            return trial.method == words[0] ? 0 : trial.method == words[1] ? 1 : 2;
          }};
}

division divide_by_time(const std::string& since) {
  return {.names = {"before " + since, "since " + since}, .side_of = [since](const run&, const record& trial) {
            return static_cast<std::size_t>(std::string_view{trial.figures.started} >= since ? 1 : 0);
          }};
}

// Interprets the words as runs, else as methods of trials, else as environments. @throws std::runtime_error
division divide(const compare_options& options, std::span<const run> runs, const std::vector<record>& records) {
  if (options.sides.empty()) return divide_by_time(options.wanted.since);
  const std::vector<std::string>& words = options.sides;
  if (std::ranges::all_of(words, names_a_run)) return divide_by_runs(runs, words);
  const auto is_method = [&](const std::string& word) {
    return std::ranges::find(records, word, &record::method) != records.end();
  };
  const auto is_environment = [&](const std::string& word) {
    return std::ranges::any_of(runs, [&](const run& each) { return is_environment_of(each, word); });
  };
  if (std::ranges::all_of(words, is_method)) return divide_by_methods(words);
  if (std::ranges::all_of(words, is_environment)) return divide_by_environments(words);
  for (const std::string& word : words)
    if (!names_a_run(word) && !is_method(word) && !is_environment(word))
      throw std::runtime_error{fmt::format(
          "\"{}\" is not a run, and no stored trial has such a method or environment; freshet history lists the runs",
          word)};
  throw std::runtime_error{
      fmt::format(R"("{}" and "{}" are not of the same kind: expected two runs, two methods or two environments)",
                  words[0], words[1])};
}

// The runs whose trials are compared. @throws std::runtime_error  if there are none
std::vector<run> select_compared_runs(const compare_options& options, const store_set& kept) {
  stored_options wanted = options.wanted;
  wanted.since.clear();  // it divides the trials instead
  std::vector<run> runs = select_runs(kept, wanted);
  if (runs.empty()) throw std::runtime_error{"no stored run matches the options; freshet history lists the runs"};
  if (!options.within.empty()) runs = {find_run(runs, options.within)};
  return runs;
}

selection select_trials(const compare_options& options, std::span<const run> runs) {
  selection which;
  if (!options.sides.empty() && std::ranges::all_of(options.sides, names_a_run))
    for (const std::string& word : options.sides) which.runs.push_back(find_run(runs, word).id);
  else
    for (const run& each : runs) which.runs.push_back(each.id);
  return which;
}

std::string describe_classes(const std::set<io_class>& classes) {
  std::string words;
  for (const io_class measured_class : classes)
    words += fmt::format("{}{}", words.empty() ? "" : ", ", to_string(measured_class));
  return words.empty() ? "no valid trial" : words;
}

bool share_any(const auto& sides) {
  return std::ranges::any_of(sides[0], [&](const auto& value) { return sides[1].contains(value); });
}

// Whether the sides have nothing in common only because their trials met different memory.
bool met_different_memory(const matched_plans& plans) {
  return plans.common.empty() && share_any(plans.classes) && !share_any(plans.met_slow_memory);
}

// What keeps the trials of the sides apart.
std::string explain_difference(const matched_plans& plans) {
  if (!share_any(plans.classes)) return "; trials of different classes are never compared";
  if (met_different_memory(plans))
    return fmt::format(
        "; new memory was slow to touch before the trials of {}, and quick before those of the other, which are never "
        "compared: measure one of them again, or both with --memory left",
        plans.met_slow_memory[0].contains(true) ? "A" : "B");
  return ", but of other plans, workloads or sizes (--across OPTION compares plans that differ in one option)";
}

std::string explain_nothing_common(const compared_sides& both) {
  std::string text = fmt::format("nothing in common: A, {}, has {}; B, {}, has {}{}", both.names[0],
                                 describe_classes(both.plans.classes[0]), both.names[1],
                                 describe_classes(both.plans.classes[1]), explain_difference(both.plans));
  for (const left_out_kind& kind : group_reasons(both.plans.left_out))
    text += fmt::format("; {} invalid, {}", kind.trials, kind.reason);
  return text;
}

matched_plans match_sides(const division& parts, const std::vector<run>& runs, const std::vector<record>& records,
                          const task_sizes& sizes, metric which) {
  side_matcher matcher{runs, sizes, !parts.within_places};
  for (const record& trial : records) {
    const auto of = std::ranges::find(runs, trial.run, &run::id);
    if (of == runs.end()) continue;
    matcher.add(parts.side_of(*of, trial), record{trial}, static_cast<std::size_t>(of - runs.begin()), which);
  }
  return matcher.match(parts.how, which);
}

compared_sides compare_stored(const compare_options& options) {
  const store_set kept{existing_stores(options.wanted)};
  const std::vector<run> runs = select_compared_runs(options, kept);
  std::vector<record> records;
  kept.each(select_trials(options, runs), [&](record&& trial) {
    throw_if_interrupted();
    trial.figures.block_latency = {};
    trial.figures.over_time = {};
    if (options.across) forget_option(trial, *options.across);
    records.push_back(std::move(trial));
  });
  division parts = divide(options, runs, records);
  if (options.across) parts.how = matching::options;
  compared_sides both{.names = parts.names,
                      .changes = parts.changes,
                      .which = options.which,
                      .plans = match_sides(parts, runs, records, kept.sizes(), options.which)};
  // Searches that came to files of different sizes still share the smaller ones that they began with.
  if (both.plans.common.empty()) both.plans = match_sides(parts, runs, records, {}, options.which);
  return both;
}

// Neighbours that keep the processors busy make more of a difference from run to run than most changes do, so they are
// taken off. Says so where the table, which has whole times, shows something else.
void explain_waits(const judged_plan& plan, metric which) {
  if (plan.whole.result.state == plan.own.result.state) return;
  fmt::print(stderr,
             "freshet compare: {}: {} without the time for which other programs had the processors, {} with it\n",
             plan.name, format_gain(plan.own.against, which), format_gain(plan.whole.against, which));
}

// The exit code, and on standard error why it is not 0.
int judge(const matched_plans& plans, double tolerated, metric which) {
  const std::vector<judged_plan> judged = judge_plans(plans, tolerated);
  const auto count = [&](regression_state state) {
    return std::ranges::count_if(judged, [&](const judged_plan& plan) { return plan.own.result.state == state; });
  };
  for (const judged_plan& plan : judged) explain_waits(plan, which);
  if (const auto worse = count(regression_state::worse); worse != 0) {
    fmt::print(stderr, "freshet compare: {} of {} certainly worse by more than {:.4g} %\n", worse, judged.size(),
               tolerated * 100);
    return exit_worse;
  }
  const auto open = count(regression_state::open);
  if (open == 0) return 0;
  std::size_t rounds = 0;
  for (const judged_plan& plan : judged) rounds = std::max(rounds, plan.own.result.rounds_to_go);
  fmt::print(stderr, "freshet compare: cannot tell in {} of {}: about {} of each side would\n", open,
             format_count(judged.size(), "plan"), format_count(rounds, "more round"));
  return exit_cannot_tell;
}

int run_compare(const compare_options& options) {
  if (options.sides.empty() == options.wanted.since.empty())
    throw usage_error{"compare", "expected A and B, or --since DATE instead of them"};
  const compared_sides both = compare_stored(options);
  if (both.plans.common.empty()) {
    const std::string reason = explain_nothing_common(both);
    if (!options.tolerated || !met_different_memory(both.plans)) throw std::runtime_error{reason};
    fmt::print(stderr, "freshet compare: cannot tell: {}\n", reason);
    return exit_cannot_tell;
  }
  const int exit_code = options.tolerated ? judge(both.plans, *options.tolerated, options.which) : 0;
  nlohmann::json result = make_json(both);
  result["failed"] = exit_code == exit_worse;
  result["cannot_tell"] = exit_code == exit_cannot_tell;
  options.results.publish(format_comparison(both, standard_screen()), result);
  return exit_code;
}

}  // namespace

void add_compare_command(program_parser& program) {
  auto [command, options] = program.add_command(
      "compare", "Tell whether a change is real: two runs, methods or environments", run_compare, compare_footer);
  command.add("SIDES A B", options.sides, "A and B: runs, methods or environments").expect(2);
  add_stored_options(command, options.wanted,
                     "Instead of A and B: compare what was measured before this time with the rest");
  add_run_option(command, options.within, "Only trials of this run: 12, last, last~1");
  const std::vector<std::string> compared = compared_options();
  command.add("--across", options.across, make_choices("an option", compared, std::identity{}),
              fmt::format("Compare plans that differ in this option, and in no other: {}", fmt::join(compared, ", ")));
  command.add("--metric", options.which, make_choices<metric>("a metric"),
              "What to compare: close, disk, cpu, or ranking: what the class is ranked by");
  command.add("--fail-if-worse PERCENTAGE", options.tolerated, parse_percent,
              "Exit with 1 if something is certainly worse by more than this, 5%, with 3 if that cannot be told");
  add_json_option(command, options.results, "all figures");
  command.explain_exit(exit_worse, "it failed; with --fail-if-worse, something is certainly worse than that allows");
  command.explain_exit(exit_cannot_tell, "with --fail-if-worse: whether something is worse cannot be told");
}

}  // namespace freshet::tool
