#include "tool/report/tune_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "tool/base/size.hpp"
#include "tool/report/verdict_report.hpp"

namespace freshet::tool {
namespace {

std::string range(const interval& of) { return fmt::format("{:.2f}-{:.2f}", of.low, of.high); }

std::string end_in_words(race_end end) {
  switch (end) {
    case race_end::time:
      return "the time was up";
    case race_end::bytes:
      return "the bytes were used up";
    case race_end::settled:
      break;
  }
  return "no trials were left";
}

std::string order_in_words(const std::vector<candidate>& field) {
  if (field.empty() || valid_trials(field.front()) == 0) return {};
  const trial_plan& ordered = field.front().plan;
  std::string text;
  for (std::size_t i = 1; i < field.size(); ++i) {
    if (valid_trials(field[i]) == 0) continue;
    const comparison made = compare(field[i], field.front(), 1);
    text += fmt::format("   {:.2f} ({}) times as long {}, {:.3f} CPU s/GB\n", made.ratio.value, range(made.ratio.range),
                        field[i].plan.size_ahead ? "unordered, its size set ahead" : "unordered", cpu_per_gb(field[i]));
  }
  if (text.empty()) return {};
  return "\n" +
         wrapped(fmt::format("What keeping order costs: against {} ({}, {} rounds) it takes", describe(ordered),
                             to_string(ordered.what), field.front().trials.size())) +
         text;
}

std::string class_report(const class_result& made, const screen& look) {
  const verdict& found = made.found;
  std::string text = fmt::format("\n== {}\n", class_in_words(found.what));
  if (found.ranking.empty()) {
    text += fmt::format("No winner: no valid trial; {}.\n", end_in_words(made.end));
    return text + oddities_in_words(found);
  }
  text += verdict_in_words(found, look, plan_name, end_in_words(made.end));
  if (!is_worth_saving(made)) {
    text += fmt::format("   not saved: {} more could not be measured, {}\n", found.unmeasured.size(),
                        end_in_words(made.end));
  }
  return text + ranking_table(found, look, plan_name) + oddities_in_words(found);
}

/// What the page cache's memory does to its speed.
std::string memory_in_words(const std::vector<candidate>& rested_and_reused) {
  constexpr double worth_saying = 1.5;
  if (rested_and_reused.empty()) return {};
  const candidate& rested = rested_and_reused.front();
  const candidate& reused = rested_and_reused.back();
  if (valid_trials(rested) == 0 || valid_trials(reused) == 0) return {};
  if (seconds_per_gb(rested) < worth_saying * seconds_per_gb(reused)) return {};
  return "\n" +
         wrapped(fmt::format("Free memory is slow to come here, as in virtual machines that give it back: by {} "
                             "{} MB/s, but {} MB/s right after another file was freed. Above, the page cache was "
                             "measured on memory that was free for long, as a program finds it.",
                             describe({.method = rested.plan.method, .block = rested.plan.block}),
                             format_figure(1e3 / seconds_per_gb(rested)), format_figure(1e3 / seconds_per_gb(reused))),
                 0);
}

/// How often others kept the device busy when a trial began.
std::string disturbances_in_words(const tuning& found) {
  std::ptrdiff_t trials = 0;
  std::ptrdiff_t disturbed = 0;
  for (const class_result& made : found.classes) {
    for (const candidate& who : made.field) {
      trials += std::ssize(who.trials);
      disturbed += std::ranges::count(who.trials, false, &trial_result::started_quiet);
    }
  }
  return disturbed == 0 ? "" : fmt::format("\nOthers kept the disk busy before {} of {} trials.\n", disturbed, trials);
}

nlohmann::json in_json(const class_result& made) {
  nlohmann::json all = in_json(made.found);
  all["ended_by"] = made.end == race_end::settled ? "settled" : made.end == race_end::time ? "time" : "bytes";
  return all;
}

nlohmann::json order_in_json(const std::vector<candidate>& field) {
  nlohmann::json costs = nlohmann::json::array();
  for (std::size_t i = 1; i < field.size(); ++i) {
    if (valid_trials(field[i]) == 0 || valid_trials(field.front()) == 0) continue;
    const comparison against_ordered = compare(field[i], field.front(), 1);
    costs.push_back({{"plan", field[i].plan},
                     {"against", field.front().plan},
                     {"ratio", against_ordered.ratio.value},
                     {"interval", in_json(against_ordered.ratio.range)}});
  }
  return costs;
}

/// The winner of the first class that writes, or reads, and is worth saving; null where there is none.
const ranked_candidate* first_worth_saving(const tuning& found, bool reading) {
  for (const class_result& made : found.classes)
    if (reads(made.found.what) == reading && is_worth_saving(made)) return &made.found.ranking.front();
  return nullptr;
}

std::string writer_snippet(const trial_plan& plan) {
  const bool plain = plan.what == io_class::none;
  const std::string durable = fmt::format(".durability = freshet::durability::{}", to_string(plan.what));
  return fmt::format(
      "freshet::writer out{{\"file\"{}}};  // the profile is used by itself\n"
      "// without it: {{\"file\", {{.method = \"{}\", .block = {}, .depth = {}{}{}}}}}\n",
      plain ? "" : ", {" + durable + "}", plan.method, plan.block, plan.depth, plan.reserve ? ", .reserve = size" : "",
      plain ? "" : ", " + durable);
}

std::string reader_snippet(const trial_plan& plan) {
  return fmt::format(
      "freshet::reader in{{\"file\"}};  // here, too\n"
      "// without it, {}: {{\"file\", {{.method = \"{}\", .block = {}, .depth = {}}}}}\n",
      to_string(plan.what), plan.method, plan.block, plan.depth);
}

}  // namespace

std::string tune_report(const tuning& found, const screen& look) {
  std::string text;
  for (const class_result& made : found.classes) text += class_report(made, look);
  if (found.slowed.noticed()) {
    text += fmt::format("\nThe disk slows down under sustained writing: by {:.0f} % over this run.\n",
                        found.slowed.share * 100);
  }
  text += order_in_words(found.order_costs) + memory_in_words(found.memory) + disturbances_in_words(found);
  text +=
      fmt::format("\nWritten in all: {} in {}.\n", format_size(found.bytes_written), format_duration(found.seconds));
  return text;
}

std::string snippet(const tuning& found) {
  const ranked_candidate* const writes = first_worth_saving(found, false);
  const ranked_candidate* const reads = first_worth_saving(found, true);
  std::string text;
  if (reads != nullptr) text += "#include <freshet/reader.hpp>\n";
  if (writes != nullptr) text += "#include <freshet/writer.hpp>\n";
  if (!text.empty()) text += "\n";
  if (writes != nullptr) text += writer_snippet(writes->plan);
  if (reads != nullptr) text += reader_snippet(reads->plan);
  return text;
}

nlohmann::json in_json(const tuning& found) {
  nlohmann::json verdicts = nlohmann::json::array();
  nlohmann::json trials = nlohmann::json::array();
  for (const class_result& made : found.classes) {
    verdicts.push_back(in_json(made));
    for (const candidate& who : made.field) {
      for (const trial_result& one : who.trials) trials.push_back(one);
    }
  }
  for (const candidate& who : found.order_costs) {
    for (const trial_result& one : who.trials) trials.push_back(one);
  }
  nlohmann::json memory = nlohmann::json::array();
  for (const candidate& who : found.memory) memory.push_back(who.trials.front());
  return {{"verdicts", verdicts},
          {"trials", trials},
          {"order_costs", order_in_json(found.order_costs)},
          {"warm_up", found.warm_up},
          {"memory", memory},
          {"slowdown",
           {{"share", found.slowed.share},
            {"significance", found.slowed.significance},
            {"noticed", found.slowed.noticed()}}},
          {"bytes_written", found.bytes_written},
          {"seconds", found.seconds}};
}

bool is_worth_saving(const class_result& made) { return !made.found.ranking.empty() && made.found.unmeasured.empty(); }

file_system_profile profile_of(const tuning& found) {
  file_system_profile entry;
  for (const class_result& made : found.classes) {
    if (!is_worth_saving(made)) continue;
    const ranked_candidate& winner = made.found.ranking.front();
    const trial_plan& plan = winner.plan;
    entry.size = std::max(entry.size, winner.size);
    if (reads(plan.what)) {
      (plan.what == io_class::cold ? entry.cold : entry.warm) = read_settings{plan.method, plan.block, plan.depth};
      continue;
    }
    entry.winners.at(static_cast<std::size_t>(durability_of(plan.what))) =
        write_settings{plan.method, plan.block, plan.depth, plan.reserve};
  }
  return entry;
}

}  // namespace freshet::tool
