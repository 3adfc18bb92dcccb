#include "tool/report/tune_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <vector>

#include "tool/analysis/comparison_text.hpp"
#include "tool/base/json_output.hpp"
#include "tool/base/text.hpp"
#include "tool/report/answer_report.hpp"
#include "tool/report/profile_report.hpp"
#include "tool/report/verdict_report.hpp"
#include "tool/search/counted_trials.hpp"
#include "tool/search/reasons.hpp"
#include "tool/search/way_figures.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t questions_with_tables = 2;  // what a screen has room for
constexpr double most_promised = 80;  // percent: the rest of the coverage is for what changes from hour to hour

// How long each way without order takes, as a multiple of the first candidate, which keeps it.
std::vector<std::pair<const candidate*, estimate>> compare_with_ordered(const std::vector<candidate>& candidates) {
  std::vector<std::pair<const candidate*, estimate>> costs;
  if (candidates.empty() || count_usable(candidates.front()) == 0) return costs;
  for (const candidate& unordered : std::span{candidates}.subspan(1))
    if (count_usable(unordered) != 0) costs.emplace_back(&unordered, compare(unordered, candidates.front()).ratio);
  return costs;
}

std::string format_order_costs(const std::vector<candidate>& candidates) {
  std::string text;
  for (const auto& [unordered, ratio] : compare_with_ordered(candidates))
    if (ratio.has_interval())
      text += fmt::format("   {:.2f} ({}) times as long {}, {:.3f} CPU s/GB\n", ratio.value, format_range(ratio.range),
                          unordered->plan.size_ahead ? "unordered with the size set ahead" : "unordered",
                          cpu_per_gb(*unordered));
  if (text.empty()) return {};
  const trial_plan& ordered = candidates.front().plan;
  return "\n" +
         wrapped(fmt::format("What keeping order costs: compared with {} ({}, {} rounds), it takes", describe(ordered),
                             to_string(ordered.measured_class), candidates.front().trials.size())) +
         text;
}

std::string format_class(const class_result& each, const screen& look) {
  const class_verdict& verdict = each.verdict;
  std::string text = fmt::format("== {}\n", describe_class(verdict.measured_class));
  if (!verdict.ranking.empty())
    text += format_ranking(verdict, look, format_plan_name, verdict.ranking.size()) +
            format_remarks(verdict, format_plan_name) + format_measured_figures(verdict, look, format_plan_name);
  text += format_oddities(verdict);
  if (each.refined && !each.refined->verdict.ranking.empty())
    text += "   other blocks of the recommended way:\n" +
            format_ranking(each.refined->verdict, look, format_plan_name, each.refined->verdict.ranking.size());
  return text + "\n";
}

// All trials that answers rest on.
std::vector<const trial_result*> list_trials(const tuning& result) {
  std::vector<const trial_result*> trials;
  const auto add = [&](const std::vector<candidate>& candidates) {
    for (const candidate& entry : candidates)
      for (const trial_result& trial : entry.trials) trials.push_back(&trial);
  };
  for (const class_result& each : result.classes) {
    add(each.candidates);
    for (const sized_result& smaller : each.smaller) add(smaller.candidates);
    if (each.refined) add(each.refined->candidates);
  }
  return trials;
}

// How much the state of free memory matters to the page cache.
std::string describe_memory(const std::vector<candidate>& rested_and_reused) {
  constexpr double worth_saying = 1.5;
  if (rested_and_reused.size() != 2) return {};
  const candidate& rested = rested_and_reused.front();
  const candidate& reused = rested_and_reused.back();
  if (count_usable(rested) == 0 || count_usable(reused) == 0) return {};
  if (seconds_per_gb(rested) < worth_saying * seconds_per_gb(reused)) return {};
  return "\n" + wrapped(fmt::format(
                            "Free memory is slow to allocate on this machine, as in virtual machines that return it to "
                            "the host: {} writes {} MB/s, but {} MB/s right after another file was freed. Above, the "
                            "page cache was measured with memory that had been free for a while, as a program finds "
                            "it on an idle machine.",
                            describe({.method = rested.plan.method, .block = rested.plan.block}),
                            format_figure(ranking_rate(rested)), format_figure(ranking_rate(reused))),
                        0);
}

// "New memory was touched at 2,900 MB/s (310-3,100) before the trials": what the page cache had to work with.
std::string describe_memory_met(const tuning& result) {
  const std::vector<double> rates = collect(list_trials(result), &trial_result::first_touch);
  if (rates.empty()) return {};
  const auto [least, most] = std::ranges::minmax(rates);
  return "\n" +
         wrapped(fmt::format("New memory was touched at {} MB/s ({}) before the trials; the page cache depends on it.",
                             format_figure(median(rates)), format_figures({least, most})),
                 0);
}

// "How long a program's first file will take is not known: 2 of 3 programs are invalid, for example …"
std::string describe_missing_prediction(const std::vector<program_files>& programs) {
  if (programs.empty()) return {};
  std::size_t unusable = 0;
  std::string example;
  for (const program_files& files : programs) {
    const bool first_is_usable = files.first.is_usable();
    if (first_is_usable && files.later.is_usable()) continue;
    ++unusable;
    example = first_reason(first_is_usable ? files.later : files.first);
  }
  const std::string why = unusable == 0 ? fmt::format("only {} tried it", format_count(programs.size(), "program"))
                                        : fmt::format("{} of {} that tried it do not count, for example because {}",
                                                      unusable, format_count(programs.size(), "program"), example);
  return "\n" + wrapped(fmt::format("How long a program's first file will take is not known: {}.", why), 0);
}

// ", durable at close(),"
std::string_view describe_durability(io_class measured_class) {
  if (measured_class == io_class::none) return "";
  return measured_class == io_class::at_close ? ", durable at close()," : ", durable block by block,";
}

std::string describe_means(const trial_plan& plan) {
  return plan.prior == prior_state::profile ? "with this profile" : "by " + describe(plan);
}

// "A program's first file of 256 MiB will take 0.11-0.19 s (1410-2440 MB/s) in eight of ten cases …"
std::string describe_next_file(const class_result& of) {
  if (!of.next_file) return describe_missing_prediction(of.programs);
  const prediction& next = *of.next_file;
  const double megabytes = static_cast<double>(next.size) / 1e6;
  return "\n" +
         wrapped(
             fmt::format(
                 "A program that opens its first file of {} {}{} will write it in {}-{} s ({} MB/s, median {}) in "
                 "{:.0f} % "
                 "of all cases, if the disk goes on like this; a later file takes {:.2f} times as long. {} tried it.",
                 format_size(next.size), describe_means(next.plan), describe_durability(next.plan.measured_class),
                 format_figure(megabytes / next.rates.high), format_figure(megabytes / next.rates.low),
                 format_figures(next.rates), format_figure(next.rate), std::min(100 * next.coverage, most_promised),
                 next.later, format_count(next.programs, "program")),
             0);
}

nlohmann::json next_file_json(const std::optional<prediction>& next) {
  if (!next) return nullptr;
  return {{"plan", next->plan},          {"size", next->size},
          {"mb_per_second", next->rate}, {"mb_per_second_range", next->rates},
          {"coverage", next->coverage},  {"later_ratio", next->later},
          {"programs", next->programs}};
}

std::string describe_disturbances(const tuning& result) {
  constexpr double worth_saying = 0.05;
  const std::vector<const trial_result*> trials = list_trials(result);
  std::ptrdiff_t busy = 0;
  std::ptrdiff_t beside = 0;
  double seconds = 0;
  double stolen = 0;
  for (const trial_result* trial : trials) {
    busy += trial->started_quiet ? 0 : 1;
    beside += trial->written_by_others.empty() ? 0 : 1;
    seconds += trial->seconds_to_disk;
    stolen += trial->cpu_stolen;
  }
  std::string text;
  if (busy != 0)
    text += fmt::format("Other processes kept the disk busy before {} of {} trials.\n", busy, trials.size());
  if (beside != 0)
    text += fmt::format("Other processes wrote to the disk during {} of {} trials.\n", beside, trials.size());
  if (stolen > worth_saying * seconds)
    text += fmt::format("The hypervisor gave {:.0f} % of a processor's time to others during the trials.\n",
                        100 * stolen / seconds);
  return text.empty() ? "" : "\n" + text;
}

nlohmann::json make_json(const class_result& each) {
  nlohmann::json all = each.verdict;
  static constexpr std::array<std::string_view, 5> ends{"settled", "time", "bytes", "interrupted", "failed"};
  all["ended_by"] = ends.at(static_cast<std::size_t>(each.end));
  all["advice"] = make_advice_json(each);
  all["measured"] = make_ways_json(measure_ways(each.verdict, each.candidates));
  all["refined"] = each.refined ? nlohmann::json(each.refined->verdict) : nlohmann::json(nullptr);
  all["next_file"] = next_file_json(each.next_file);
  return all;
}

nlohmann::json order_costs_json(const std::vector<candidate>& candidates) {
  nlohmann::json costs = nlohmann::json::array();
  for (const auto& [unordered, ratio] : compare_with_ordered(candidates))
    costs.push_back({{"plan", unordered->plan},
                     {"against", candidates.front().plan},
                     {"ratio", ratio.value},
                     {"interval", ratio.range}});
  return costs;
}

// All figures, and what explains them.
std::string format_details(const tuning& result, const screen& look) {
  std::string text;
  for (const class_result& each : result.classes) text += format_class(each, look);
  if (result.slowed.noticed())
    text += fmt::format("The disk slows down under sustained writing: by {:.0f} % over this run.\n",
                        result.slowed.share * 100);
  text += format_order_costs(result.order_costs) + describe_memory(result.memory);
  for (const class_result& each : result.classes) text += describe_next_file(each);
  return text + describe_memory_met(result) + describe_disturbances(result);
}

std::string format_tables(const tuning& result, const screen& look, std::size_t others) {
  std::string text;
  for (const class_result& each : result.classes) text += format_ways(each, look, others);
  return text;
}

}  // namespace

std::string format_tuning(const tuning& result, const screen& look, bool details, std::size_t lines) {
  std::string answers = "\n";
  for (const class_result& each : result.classes) answers += format_advice(each, look);
  answers += format_conditions(result.classes, result.size);
  if (details)
    return "\n" + format_details(result, look) + "\n" + format_tables(result, look, other_ways_shown) + answers;
  if (result.classes.size() > questions_with_tables) return answers;
  for (std::size_t others = other_ways_shown + 1; others-- > 0;)
    if (std::string text = "\n" + format_tables(result, look, others) + answers; count_lines(text) <= lines)
      return text;
  return answers;
}

machine_figures make_machine_figures(const std::optional<machine_rate>& machine, const tuning& result) {
  for (const class_result& each : result.classes) {
    if (reads(each.verdict.measured_class)) continue;
    const class_answer answer = find_answer(each);
    if (answer.what == advice::none) return {.machine = machine};
    const bool by_themselves = answer.by_themselves != nullptr;
    const ranked_candidate& way = by_themselves ? *answer.by_themselves : *answer.best;
    return make_machine_figures(machine, by_themselves ? "a program" : "the best way",
                                sort_trials(each.candidates[way.index].trials).counted);
  }
  return {};
}

nlohmann::json make_json(const tuning& result) {
  nlohmann::json verdicts = nlohmann::json::array();
  for (const class_result& each : result.classes) verdicts.push_back(make_json(each));
  nlohmann::json trials = make_json_array(list_trials(result));
  for (const candidate& entry : result.order_costs)
    for (const trial_result& trial : entry.trials) trials.push_back(trial);
  nlohmann::json programs = nlohmann::json::array();
  for (const class_result& each : result.classes)
    for (const program_files& files : each.programs)
      programs.push_back({{"first", files.first}, {"later", files.later}});
  nlohmann::json memory = nlohmann::json::array();
  for (const candidate& entry : result.memory) memory.push_back(entry.trials.front());
  return {{"verdicts", verdicts},
          {"trials", trials},
          {"order_costs", order_costs_json(result.order_costs)},
          {"warm_up", result.warm_up},
          {"programs", programs},
          {"memory", memory},
          {"slowdown",
           {{"share", result.slowed.share},
            {"significance", result.slowed.significance},
            {"noticed", result.slowed.noticed()}}},
          {"size", result.size},
          {"bytes_written", result.bytes_written},
          {"seconds", result.seconds},
          {"ended_early_by", text_or_null(result.failure)}};
}

}  // namespace freshet::tool
