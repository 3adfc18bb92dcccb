#include "tool/report/verdict_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tool/base/size.hpp"
#include "tool/report/bars.hpp"
#include "tool/report/table.hpp"
#include "tool/search/left_out.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t longest_bar = 24;
constexpr std::size_t shortest_bar = 8;
constexpr std::size_t outliers_named = 3;

std::string range(const interval& of, int digits) {
  return fmt::format("{:.{}f}-{:.{}f}", of.low, digits, of.high, digits);
}

/// What a place in the ranking is marked with.
struct mark {
  std::string_view sign;
  colour paint = colour::none;
};

mark mark_of(const verdict& found, const ranked_candidate& who) {
  if (&who == &found.ranking.front()) return {">", colour::good};
  if (surely_slower(who)) return {"", colour::none};
  return who.to_winner.result == outcome::tie ? mark{"=", colour::good} : mark{"?", colour::doubtful};
}

/// Whether all trials wrote or read files of one size.
bool all_of_one_size(const std::vector<ranked_candidate>& ranking) {
  return std::ranges::all_of(ranking, [&](const ranked_candidate& who) { return who.size == ranking.front().size; });
}

std::string trials_of(const ranked_candidate& who, bool with_size) {
  return with_size ? fmt::format("{} x {}", who.rate.count, format_size(who.size)) : fmt::format("{}", who.rate.count);
}

/// The ranking, with bars of so many columns; 0: with their column only.
table ranking_with_bars(const verdict& found, const screen& look, const namer& name, std::size_t rows,
                        std::size_t bar_columns) {
  using enum table::side;
  std::vector<table::column> columns{
      {"", left}, {reads(found.what) ? "way to read" : "way to write", left, true}, {"MB/s"}};
  columns.insert(columns.end(), {{"", left}, {"time"}, {"95 %"}, {"CPU s/GB"}, {"trials", left}});
  table made{columns};
  const bool one_size = all_of_one_size(found.ranking);
  double most = 0;
  for (const ranked_candidate& who : found.ranking) most = std::max(most, who.rate.range.high);
  for (std::size_t i = 0; i < std::min(found.ranking.size(), rows); ++i) {
    const ranked_candidate& who = found.ranking[i];
    const mark shown = mark_of(found, who);
    std::vector<std::string> cells{painted(shown.sign, shown.paint, look), name(who), format_figure(who.rate.value)};
    if (bar_columns > 0) cells.push_back(painted(bar(who.rate.range, most, bar_columns, look), shown.paint, look));
    cells.insert(cells.end(),
                 {fmt::format("{:.2f}", who.to_winner.ratio.value), i == 0 ? "" : range(who.to_winner.ratio.range, 2),
                  fmt::format("{:.3f}", who.cpu_per_gb), trials_of(who, !one_size)});
    made.add(std::move(cells));
  }
  return made;
}

/// "uring 4 MiB x 2 takes 1.21 (1.15-1.30) times as long, with 0.051 CPU s/GB"
std::string against(const ranked_candidate& who, const namer& name) {
  return fmt::format("{} takes {:.2f} ({}) times as long, with {:.3f} CPU s/GB", name(who), who.to_winner.ratio.value,
                     range(who.to_winner.ratio.range, 2), who.cpu_per_gb);
}

std::string indented(const std::string& sentence) { return "   " + wrapped(sentence, 3, 77); }

std::string outliers_in_words(const std::vector<outlying_trial>& outliers) {
  if (outliers.empty()) return {};
  std::string text =
      fmt::format("{} outlier{}, counted nevertheless: ", outliers.size(), outliers.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < std::min(outliers.size(), outliers_named); ++i)
    text += fmt::format("{}{} took {:.2g} times its median (round {})", i == 0 ? "" : "; ", describe(outliers[i].plan),
                        outliers[i].times, outliers[i].round);
  if (outliers.size() > outliers_named) text += fmt::format("; and {} more", outliers.size() - outliers_named);
  return wrapped(text);
}

nlohmann::json in_json(const ranked_candidate& who) {
  const comparison& against = who.to_winner;
  return {{"plan", who.plan},
          {"size", who.size},
          {"mb_per_second", who.rate.value},
          {"mb_per_second_interval", in_json(who.rate.range)},
          {"cpu_seconds_per_gb", who.cpu_per_gb},
          {"trials", who.rate.count},
          {"ratio", against.ratio.value},
          {"interval", in_json(against.ratio.range)},
          {"rounds", against.ratio.count},
          {"rounds_to_go", against.rounds_to_go ? nlohmann::json(*against.rounds_to_go) : nlohmann::json(nullptr)},
          {"paired", against.paired},
          {"against_winner", to_string(against.result)},
          {"dropped", who.dropped.empty() ? nlohmann::json(nullptr) : nlohmann::json(who.dropped)}};
}

nlohmann::json in_json(const order_effect& effect) {
  return {{"slower", effect.slower}, {"significance", effect.significance}, {"noticed", effect.noticed()}};
}

}  // namespace

std::string plan_name(const ranked_candidate& who) { return describe(who.plan); }

std::string class_in_words(io_class what) {
  static constexpr std::array<std::string_view, 5> words{
      "the kernel has it; ranked by the time until the program may go on",
      "the disk has it when close() returns; ranked by the time to disk",
      "each block is on disk before the next; ranked by the time to disk",
      "from the disk, nothing of it in memory; ranked by the time it takes",
      "from the page cache, which has all of it; ranked by the time it takes"};
  return fmt::format("{}: {}", to_string(what), words.at(static_cast<std::size_t>(what)));
}

std::string ranking_table(const verdict& found, const screen& look, const namer& name, std::size_t rows) {
  const std::size_t without = ranking_with_bars(found, look, name, rows, 0).width();
  const std::size_t room = look.width > without ? look.width - without : 0;
  const std::size_t bars = std::clamp(room, shortest_bar, longest_bar);
  std::string text = ranking_with_bars(found, look, name, rows, bars).text(look.width);
  if (found.ranking.size() > rows) text += fmt::format("   and {} more; --json has all\n", found.ranking.size() - rows);
  if (all_of_one_size(found.ranking)) text += fmt::format("   files of {}\n", format_size(found.ranking.front().size));
  return text;
}

std::string verdict_in_words(const verdict& found, const screen& look, const namer& name, const std::string& why) {
  const ranked_candidate& winner = found.ranking.front();
  const bool undecided = found.state == verdict_state::undecided;
  std::string text = wrapped(fmt::format(
      "{} {}: {} MB/s ({}), {:.3f} CPU s/GB; {}",
      painted(undecided ? "Best so far" : "Winner", undecided ? colour::doubtful : colour::good, look), name(winner),
      format_figure(winner.rate.value), range(winner.rate.range, 0), winner.cpu_per_gb, to_string(found.state)));
  if (found.ranking.size() > 1) text += indented(against(found.ranking[1], name));
  const std::string rounds = rounds_in_words(rounds_to_decide_all(found));
  if (undecided && found.ranking.size() > 1)
    text += indented(fmt::format("undecided, marked ?{}; at worst it takes {:.2f} times as long as the best{}",
                                 why.empty() ? "" : ": " + why, at_worst(found), rounds.empty() ? "" : "; " + rounds));
  return text;
}

std::string left_out_in_words(const std::map<std::string, std::size_t>& trials_by_reason) {
  std::string text;
  for (const left_out_kind& kind : kinds_of(trials_by_reason))
    text += wrapped(
        fmt::format("Left out: {} invalid, {}{}", kind.trials, kind.is_example ? "for example: " : "", kind.reason));
  return text;
}

std::string oddities_in_words(const verdict& found) {
  std::string text = left_out_in_words(found.left_out);
  text += outliers_in_words(found.outliers);
  for (const std::string& sentence : in_words(found.order))
    text += wrapped("When trials were made mattered: " + sentence);
  return text;
}

std::string rounds_in_words(const rounds_needed& needed) {
  if (needed.rounds == 0) return {};
  return fmt::format("{} {} more round{} would decide", needed.at_least ? "at least" : "about", needed.rounds,
                     needed.rounds == 1 ? "" : "s");
}

nlohmann::json in_json(const interval& of) { return nlohmann::json::array({of.low, of.high}); }

nlohmann::json in_json(const verdict& found) {
  const bool has_winner = !found.ranking.empty();
  const ranked_candidate* const next = found.ranking.size() > 1 ? &found.ranking[1] : nullptr;
  nlohmann::json ranking = nlohmann::json::array();
  for (const ranked_candidate& who : found.ranking) ranking.push_back(in_json(who));
  nlohmann::json outliers = nlohmann::json::array();
  for (const outlying_trial& one : found.outliers)
    outliers.push_back({{"plan", one.plan}, {"round", one.round}, {"times", one.times}});
  const rounds_needed needed = rounds_to_decide_all(found);
  return {{"class", to_string(found.what)},
          {"winner", has_winner ? nlohmann::json(found.ranking.front().plan) : nlohmann::json(nullptr)},
          {"runner_up", next != nullptr ? nlohmann::json(next->plan) : nlohmann::json(nullptr)},
          {"ratio", next != nullptr ? nlohmann::json(next->to_winner.ratio.value) : nlohmann::json(nullptr)},
          {"interval", next != nullptr ? in_json(next->to_winner.ratio.range) : nlohmann::json(nullptr)},
          {"state", to_string(found.state)},
          {"ranking", ranking},
          {"at_worst", at_worst(found)},
          {"rounds_to_decide", {{"rounds", needed.rounds}, {"at_least", needed.at_least}}},
          {"left_out", found.left_out},
          {"unmeasured", found.unmeasured},
          {"outliers", outliers},
          {"order",
           {{"first", in_json(found.order.first)},
            {"drift", in_json(found.order.drift)},
            {"position", in_json(found.order.position)}}}};
}

}  // namespace freshet::tool
