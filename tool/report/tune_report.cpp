#include "tool/report/tune_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <vector>

#include "tool/base/json_output.hpp"
#include "tool/base/text.hpp"
#include "tool/report/verdict_report.hpp"
#include "tool/search/profile_choice.hpp"
#include "tool/search/usable_samples.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t rows_shown = 6;
constexpr double most_promised = 80;  // percent: the rest of the coverage is for what changes from hour to hour

std::string describe_end(race_end end) {
  switch (end) {
    case race_end::time:
      return "the time was up";
    case race_end::bytes:
      return "the byte budget was used up";
    case race_end::interrupted:
      return "it was interrupted";
    case race_end::failed:
      return "it failed";
    case race_end::settled:
      break;
  }
  return "nothing was left to try";
}

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

// The answers, those first that most programs ask for.
std::string format_answers(const tuning& result, const screen& look) {
  std::vector<const class_result*> order;
  for (const class_result& each : result.classes) order.push_back(&each);
  const auto asked_by_few = [](const class_result* each) {
    return each->verdict.measured_class != io_class::none && each->verdict.measured_class != io_class::cold;
  };
  std::ranges::stable_sort(order, {}, asked_by_few);
  std::string text;
  for (const class_result* each : order) {
    const class_verdict& verdict = each->verdict;
    text += verdict.ranking.empty() ? fmt::format("{}: no trial was valid when {}.\n",
                                                  to_string(verdict.measured_class), describe_end(each->end))
                                    : format_answer(verdict, look, format_plan_name);
  }
  return text;
}

// What stands between the verdict and the profile.
std::string describe_provisional(const class_result& each) {
  const profile_choice choice = choose_for_profile(each);
  if (choice.unknown.empty() || each.verdict.ranking.empty()) return {};
  return "   " +
         wrapped(fmt::format("{} because {}: {}.", choice.winner == nullptr ? "Not for the profile" : "Provisional",
                             describe_end(each.end), choice.unknown),
                 3, text_width() - 3);
}

std::string class_report(const class_result& each, const screen& look, bool details) {
  const class_verdict& verdict = each.verdict;
  std::string text = fmt::format("\n== {}\n", describe_class(verdict.measured_class));
  if (verdict.ranking.empty()) return text + format_oddities(verdict);
  const bool is_open = verdict.state == verdict_state::undecided || verdict.state == verdict_state::failed;
  const std::size_t rows = details ? verdict.ranking.size() : rows_shown;
  text += format_ranking(verdict, look, format_plan_name, rows);
  text +=
      details || is_open ? format_remarks(verdict, format_plan_name) : format_other_memory(verdict, format_plan_name);
  text += describe_provisional(each);
  if (!details) return text;
  return text + format_measured_figures(verdict, look, format_plan_name) + format_oddities(verdict);
}

std::vector<const trial_result*> list_trials(const tuning& result) {
  std::vector<const trial_result*> trials;
  for (const class_result& each : result.classes)
    for (const candidate& entry : each.candidates)
      for (const trial_result& trial : entry.trials) trials.push_back(&trial);
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

// "A program's first file of 256 MiB will take 0.11-0.19 s (1410-2440 MB/s) in eight of ten cases …"
std::string describe_next_file(const class_result& of) {
  if (!of.next_file) return describe_missing_prediction(of.programs);
  const prediction& next = *of.next_file;
  const double megabytes = static_cast<double>(next.size) / 1e6;
  return "\n" +
         wrapped(
             fmt::format(
                 "A program that opens its first file of {} by {}{} will write it in {}-{} s ({} MB/s, median {}) in "
                 "{:.0f} % "
                 "of all cases, if the disk goes on like this; a later file takes {:.2f} times as long. {} tried it.",
                 format_size(next.size), describe(next.plan), describe_durability(next.plan.measured_class),
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

// The choice of the first class that has one and writes (or reads, if `reading`); null if there is none.
const ranked_candidate* first_choice(const tuning& result, bool reading) {
  for (const class_result& each : result.classes)
    if (reads(each.verdict.measured_class) == reading)
      if (const profile_choice choice = choose_for_profile(each); choice.winner != nullptr) return choice.winner;
  return nullptr;
}

std::string writer_snippet(const trial_plan& plan) {
  const bool plain = plan.measured_class == io_class::none;
  const std::string durable = fmt::format(".durability = freshet::durability::{}", to_string(plan.measured_class));
  return fmt::format(
      "freshet::writer out{{\"file\"{}}};  // uses the profile automatically\n"
      "// without a profile: {{\"file\", {{.method = \"{}\", .block = {}, .depth = {}{}{}}}}}\n",
      plain ? "" : ", {" + durable + "}", plan.method, plan.block, plan.depth, plan.reserve ? ", .reserve = size" : "",
      plain ? "" : ", " + durable);
}

std::string reader_snippet(const trial_plan& plan, bool follows_writer) {
  return fmt::format(
      "freshet::reader in{{\"file\"}};  // uses the profile {}\n"
      "// without a profile, {}: {{\"file\", {{.method = \"{}\", .block = {}, .depth = {}}}}}\n",
      follows_writer ? "as well" : "automatically", to_string(plan.measured_class), plan.method, plan.block,
      plan.depth);
}

}  // namespace

std::string format_tuning(const tuning& result, const screen& look, bool details) {
  std::string text = "\n" + format_answers(result, look);
  for (const class_result& each : result.classes) text += class_report(each, look, details);
  if (result.slowed.noticed())
    text += fmt::format("\nThe disk slows down under sustained writing: by {:.0f} % over this run.\n",
                        result.slowed.share * 100);
  if (details) text += format_order_costs(result.order_costs) + describe_memory(result.memory);
  for (const class_result& each : result.classes)
    if (details || each.verdict.measured_class == io_class::none) text += describe_next_file(each);
  text += describe_memory_met(result) + describe_disturbances(result);
  text +=
      fmt::format("\nWritten in all: {} in {}.\n", format_size(result.bytes_written), format_duration(result.seconds));
  if (!details) text += "More of all this: --details.\n";
  return text;
}

std::string snippet(const tuning& result) {
  const ranked_candidate* const writes = first_choice(result, false);
  const ranked_candidate* const reads = first_choice(result, true);
  std::string text;
  if (reads != nullptr) text += "#include <freshet/reader.hpp>\n";
  if (writes != nullptr) text += "#include <freshet/writer.hpp>\n";
  if (!text.empty()) text += "\n";
  if (writes != nullptr) text += writer_snippet(writes->plan);
  if (reads != nullptr) text += reader_snippet(reads->plan, writes != nullptr);
  return text;
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
          {"bytes_written", result.bytes_written},
          {"seconds", result.seconds}};
}

}  // namespace freshet::tool
