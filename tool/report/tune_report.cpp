#include "report/tune_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "report/table.hpp"
#include "size.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t rows_shown = 12;

std::string_view what_counts(trial_class what) {
  switch (what) {
    case trial_class::none:
      return "the kernel has it; ranked by the time until the program may go on";
    case trial_class::at_close:
      return "the disk has it when close() returns; ranked by the time to disk";
    case trial_class::each_write:
      return "each block is on disk before the next; ranked by the time to disk";
    case trial_class::cold:
      return "from the disk, nothing of it in memory; ranked by the time it takes";
    case trial_class::warm:
      break;
  }
  return "from the page cache, which has all of it; ranked by the time it takes";
}

std::string range(const interval& of, int digits) {
  return fmt::format("{:.{}f}-{:.{}f}", of.low, digits, of.high, digits);
}

std::string_view mark(const standing& who) {
  if (surely_slower(who)) return "";
  return who.to_winner.result == outcome::tie ? "=" : "?";
}

std::string ranking_table(trial_class what, const std::vector<standing>& ranking) {
  using enum table::side;
  table rows{{{"", left},
              {reads(what) ? "way to read" : "way to write", left},
              {"MB/s"},
              {"time"},
              {"95 %"},
              {"CPU s/GB"},
              {"trials", left}}};
  for (std::size_t i = 0; i < std::min(ranking.size(), rows_shown); ++i) {
    const standing& who = ranking[i];
    rows.add({std::string{i == 0 ? ">" : mark(who)}, describe(who.plan), format_figure(who.rate.value),
              fmt::format("{:.2f}", who.to_winner.ratio.value), i == 0 ? "" : range(who.to_winner.ratio.range, 2),
              fmt::format("{:.3f}", who.cpu_per_gb), fmt::format("{} x {}", who.rate.count, format_size(who.size))});
  }
  std::string text = rows.text();
  if (ranking.size() > rows_shown) text += fmt::format("   and {} more; --json has all\n", ranking.size() - rows_shown);
  return text;
}

/// "uring 4 MiB x 2 takes 1.21 (1.15-1.30) times as long, with 0.051 CPU s/GB"
std::string against(const standing& who) {
  return fmt::format("{} takes {:.2f} ({}) times as long, with {:.3f} CPU s/GB", describe(who.plan),
                     who.to_winner.ratio.value, range(who.to_winner.ratio.range, 2), who.cpu_per_gb);
}

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

std::string order_in_words(const std::vector<contestant>& field) {
  if (field.empty() || valid_trials(field.front()) == 0) return {};
  const trial_plan& ordered = field.front().plan;
  std::string text;
  for (std::size_t i = 1; i < field.size(); ++i) {
    if (valid_trials(field[i]) == 0) continue;
    const comparison made = compare(field[i], field.front(), 1);
    text +=
        fmt::format("   {:.2f} ({}) times as long {}, {:.3f} CPU s/GB\n", made.ratio.value, range(made.ratio.range, 2),
                    field[i].plan.size_ahead ? "unordered, its size set ahead" : "unordered", cpu_per_gb(field[i]));
  }
  if (text.empty()) return {};
  return fmt::format("\nWhat keeping order costs: against {} ({}, {} rounds) it takes\n", describe(ordered),
                     to_string(ordered.what), field.front().trials.size()) +
         text;
}

std::string left_out_in_words(const std::map<std::string, unsigned>& left_out) {
  std::string text;
  for (const auto& [reason, times] : left_out) text += fmt::format("Left out: {} invalid, {}\n", times, reason);
  return text;
}

std::string class_in_words(const class_result& made) {
  const verdict& found = made.found;
  std::string text = fmt::format("\n== {}: {}\n", to_string(found.what), what_counts(found.what));
  if (found.ranking.empty()) {
    text += fmt::format("No winner: no valid trial; {}.\n", end_in_words(made.end));
    return text + left_out_in_words(found.left_out);
  }
  const standing& winner = found.ranking.front();
  text += fmt::format("{} {}: {} MB/s ({}), {:.3f} CPU s/GB; {}\n",
                      found.state == verdict_state::undecided ? "Best so far" : "Winner", describe(winner.plan),
                      format_figure(winner.rate.value), range(winner.rate.range, 0), winner.cpu_per_gb,
                      to_string(found.state));
  if (found.ranking.size() > 1) text += fmt::format("   {}\n", against(found.ranking[1]));
  if (found.state == verdict_state::undecided)
    text += fmt::format("   undecided, marked ?: {}; at worst it takes {:.2f} times as long as the best\n",
                        end_in_words(made.end), at_worst(found));
  if (!is_worth_saving(made)) {
    text += fmt::format("   not saved: {} more could not be measured, {}\n", found.unmeasured.size(),
                        end_in_words(made.end));
  }
  text += ranking_table(found.what, found.ranking);
  return text + left_out_in_words(found.left_out);
}

/// What the page cache's memory does to its speed.
std::string memory_in_words(const std::vector<contestant>& rested_and_reused) {
  constexpr double worth_saying = 1.5;
  if (rested_and_reused.empty()) return {};
  const contestant& rested = rested_and_reused.front();
  const contestant& reused = rested_and_reused.back();
  if (valid_trials(rested) == 0 || valid_trials(reused) == 0) return {};
  if (seconds_per_gb(rested) < worth_saying * seconds_per_gb(reused)) return {};
  return fmt::format(
      "\nFree memory is slow to come here, as in virtual machines that give it back: by {}\n"
      "{} MB/s, but {} MB/s right after another file was freed. Above, the page cache was\n"
      "measured on memory that was free for long, as a program finds it.\n",
      describe({.method = rested.plan.method, .block = rested.plan.block}), format_figure(1e3 / seconds_per_gb(rested)),
      format_figure(1e3 / seconds_per_gb(reused)));
}

/// How often others kept the device busy when a trial began.
std::string disturbances_in_words(const tuning& found) {
  std::ptrdiff_t trials = 0;
  std::ptrdiff_t disturbed = 0;
  for (const class_result& made : found.classes) {
    for (const contestant& who : made.field) {
      trials += std::ssize(who.trials);
      disturbed += std::ranges::count(who.trials, false, &trial::started_quiet);
    }
  }
  return disturbed == 0 ? "" : fmt::format("\nOthers kept the disk busy before {} of {} trials.\n", disturbed, trials);
}

nlohmann::json in_json(const interval& of) { return nlohmann::json::array({of.low, of.high}); }

nlohmann::json in_json(const standing& who) {
  return {{"plan", who.plan},
          {"size", who.size},
          {"mb_per_second", who.rate.value},
          {"mb_per_second_interval", in_json(who.rate.range)},
          {"cpu_seconds_per_gb", who.cpu_per_gb},
          {"trials", who.rate.count},
          {"ratio", who.to_winner.ratio.value},
          {"interval", in_json(who.to_winner.ratio.range)},
          {"rounds", who.to_winner.ratio.count},
          {"paired", who.to_winner.paired},
          {"against_winner", to_string(who.to_winner.result)},
          {"dropped", who.dropped.empty() ? nlohmann::json(nullptr) : nlohmann::json(who.dropped)}};
}

nlohmann::json in_json(const class_result& made) {
  const verdict& found = made.found;
  const bool has_winner = !found.ranking.empty();
  const standing* const next = found.ranking.size() > 1 ? &found.ranking[1] : nullptr;
  nlohmann::json ranking = nlohmann::json::array();
  for (const standing& who : found.ranking) ranking.push_back(in_json(who));
  return {{"class", to_string(found.what)},
          {"winner", has_winner ? nlohmann::json(found.ranking.front().plan) : nlohmann::json(nullptr)},
          {"runner_up", next != nullptr ? nlohmann::json(next->plan) : nlohmann::json(nullptr)},
          {"ratio", next != nullptr ? nlohmann::json(next->to_winner.ratio.value) : nlohmann::json(nullptr)},
          {"interval", next != nullptr ? in_json(next->to_winner.ratio.range) : nlohmann::json(nullptr)},
          {"state", to_string(found.state)},
          {"ended_by", made.end == race_end::settled ? "settled"
                       : made.end == race_end::time  ? "time"
                                                     : "bytes"},
          {"ranking", ranking},
          {"at_worst", at_worst(found)},
          {"left_out", found.left_out},
          {"unmeasured", found.unmeasured}};
}

nlohmann::json order_in_json(const std::vector<contestant>& field) {
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
const standing* first_worth_saving(const tuning& found, bool reading) {
  for (const class_result& made : found.classes)
    if (reads(made.found.what) == reading && is_worth_saving(made)) return &made.found.ranking.front();
  return nullptr;
}

std::string writer_snippet(const trial_plan& plan) {
  const bool plain = plan.what == trial_class::none;
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

std::string tune_report(const tuning& found) {
  std::string text;
  for (const class_result& made : found.classes) text += class_in_words(made);
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
  const standing* const writes = first_worth_saving(found, false);
  const standing* const reads = first_worth_saving(found, true);
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
    for (const contestant& who : made.field) {
      for (const trial& one : who.trials) trials.push_back(one);
    }
  }
  for (const contestant& who : found.order_costs) {
    for (const trial& one : who.trials) trials.push_back(one);
  }
  nlohmann::json memory = nlohmann::json::array();
  for (const contestant& who : found.memory) memory.push_back(who.trials.front());
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
    const standing& winner = made.found.ranking.front();
    const trial_plan& plan = winner.plan;
    entry.size = std::max(entry.size, winner.size);
    if (reads(plan.what)) {
      (plan.what == trial_class::cold ? entry.cold : entry.warm) = read_settings{plan.method, plan.block, plan.depth};
      continue;
    }
    entry.winners.at(static_cast<std::size_t>(durability_of(plan.what))) =
        write_settings{plan.method, plan.block, plan.depth, plan.reserve};
  }
  return entry;
}

}  // namespace freshet::tool
