#include "tool/report/verdict_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tool/base/json_optional.hpp"
#include "tool/base/text.hpp"
#include "tool/report/table.hpp"
#include "tool/search/usable_samples.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t longest_bar = 24;
constexpr std::size_t shortest_bar = 8;
constexpr std::size_t outliers_named = 3;

constexpr std::string_view explain_range =
    "The range of fewer than six rounds reaches from the smallest to the largest, and decides nothing.";

struct mark {
  std::string_view sign;
  colour paint = colour::none;
};

mark choose_mark(const class_verdict& verdict, const ranked_candidate& ranked) {
  if (&ranked == &verdict.ranking.front()) return {">", colour::good};
  if (is_clearly_slower(ranked)) return {"", colour::none};
  return ranked.to_winner.result == outcome::tie ? mark{"=", colour::good} : mark{"?", colour::doubtful};
}

bool have_one_size(const std::vector<ranked_candidate>& ranking) {
  return std::ranges::all_of(ranking,
                             [&](const ranked_candidate& ranked) { return ranked.size == ranking.front().size; });
}

std::string format_trials(const ranked_candidate& ranked, bool with_size) {
  return with_size ? fmt::format("{} x {}", ranked.rate.count, format_size(ranked.size))
                   : fmt::format("{}", ranked.rate.count);
}

// With 0 `bar_columns`, only the column for the bars.
table make_ranking_table(const class_verdict& verdict, const screen& look, const candidate_namer& name,
                         std::size_t rows, std::size_t bar_columns) {
  using enum table::side;
  std::vector<table::column> columns{
      {"", left}, {reads(verdict.measured_class) ? "way to read" : "way to write", left, true}, {"MB/s"}};
  columns.insert(
      columns.end(),
      {{"", left, false, true}, {"time"}, {"range"}, {"CPU s/GB", right, false, true}, {"trials", left, false, true}});
  table list{columns};
  const bool one_size = have_one_size(verdict.ranking);
  double most = 0;
  for (const ranked_candidate& ranked : verdict.ranking) most = std::max(most, ranked.rate.range.high);
  for (std::size_t i = 0; i < std::min(verdict.ranking.size(), rows); ++i) {
    const ranked_candidate& ranked = verdict.ranking[i];
    const mark shown = choose_mark(verdict, ranked);
    std::vector<std::string> cells{painted(shown.sign, shown.paint, look), name(ranked),
                                   format_figure(ranked.rate.value)};
    if (bar_columns > 0) cells.push_back(painted(bar(ranked.rate.range, most, bar_columns, look), shown.paint, look));
    cells.insert(cells.end(), {fmt::format("{:.2f}", ranked.to_winner.ratio.value),
                               i == 0 ? "" : format_range(ranked.to_winner.ratio.range),
                               fmt::format("{:.3f}", ranked.cpu_per_gb), format_trials(ranked, !one_size)});
    list.add(std::move(cells));
  }
  return list;
}

std::string indented(const std::string& sentence) { return "   " + wrapped(sentence, 3, text_width() - 3); }

std::string format_outliers(const std::vector<outlying_trial>& outliers) {
  if (outliers.empty()) return {};
  std::string text = format_count(outliers.size(), "outlier") + ", still counted: ";
  for (std::size_t i = 0; i < std::min(outliers.size(), outliers_named); ++i)
    text += fmt::format("{}{} took {:.2g} times its median (round {})", i == 0 ? "" : "; ", describe(outliers[i].plan),
                        outliers[i].times, outliers[i].round);
  if (outliers.size() > outliers_named) text += fmt::format("; and {} more", outliers.size() - outliers_named);
  return wrapped(text);
}

nlohmann::json make_json(const ranked_candidate& ranked) {
  const comparison& against = ranked.to_winner;
  return {{"plan", ranked.plan},
          {"size", ranked.size},
          {"mb_per_second", ranked.rate.value},
          {"mb_per_second_interval", make_json(ranked.rate.range)},
          {"cpu_seconds_per_gb", ranked.cpu_per_gb},
          {"trials", ranked.rate.count},
          {"ratio", against.ratio.value},
          {"interval", make_json(against.ratio.range)},
          {"confidence", against.ratio.confidence},
          {"rounds", against.ratio.count},
          {"rounds_to_go", against.rounds_to_go},
          {"paired", against.paired},
          {"against_winner", to_string(against.result)},
          {"bound_by_generator", ranked.bound_by_generator},
          {"dropped", ranked.dropped.empty() ? nlohmann::json(nullptr) : nlohmann::json(ranked.dropped)}};
}

nlohmann::json make_json(const order_effect& effect) {
  return {{"slower", effect.slower}, {"significance", effect.significance}, {"noticed", effect.noticed()}};
}

std::string repeated(std::string_view mark, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += mark;
  return all;
}

}  // namespace

std::string format_range(const interval& range) { return fmt::format("{:.2f}-{:.2f}", range.low, range.high); }

std::string format_figures(const interval& range) {
  return fmt::format("{}-{}", format_figure(range.low), format_figure(range.high));
}

std::string format_plan_name(const ranked_candidate& ranked) { return describe(ranked.plan); }

std::string describe_class(io_class measured_class) {
  static constexpr std::array<std::string_view, 5> words{
      "the kernel has the data; ranked by the time until the program may go on",
      "the disk has the data at close(); ranked by the time to disk",
      "each block is on disk before the next; ranked by the time to disk",
      "read from the disk, nothing cached; ranked by the time it takes",
      "read from the page cache, all cached; ranked by the time it takes"};
  return fmt::format("{}: {}", to_string(measured_class), words.at(static_cast<std::size_t>(measured_class)));
}

std::string format_ranking(const class_verdict& verdict, const screen& look, const candidate_namer& name,
                           std::size_t rows) {
  const std::size_t without = make_ranking_table(verdict, look, name, rows, 0).width();
  const std::size_t columns = std::min(look.width, text_width());  // bars need no more where nothing limits them
  const std::size_t room = columns > without ? columns - without : 0;
  const std::size_t bars = std::clamp(room, shortest_bar, longest_bar);
  std::string text = make_ranking_table(verdict, look, name, rows, bars).text(look.width);
  if (verdict.ranking.size() > rows)
    text += fmt::format("   and {} more; --json has all\n", verdict.ranking.size() - rows);
  if (have_one_size(verdict.ranking))
    text += fmt::format("   files of {}\n", format_size(verdict.ranking.front().size));
  const auto lacks_interval = [](const ranked_candidate& ranked) { return !ranked.to_winner.ratio.has_interval(); };
  if (std::ranges::any_of(verdict.ranking.begin() + (verdict.ranking.empty() ? 0 : 1), verdict.ranking.end(),
                          lacks_interval))
    text += indented(std::string{explain_range});
  return text;
}

std::string format_verdict(const class_verdict& verdict, const screen& look, const candidate_namer& name,
                           const std::string& why) {
  const verdict_text sentences = describe_verdict(verdict, name);
  const bool undecided = verdict.state == verdict_state::undecided;
  const std::size_t colon = sentences.headline.find(':');  // after "NAME wins", "Tie" or "Undecided"
  std::string text =
      wrapped(painted(sentences.headline.substr(0, colon), undecided ? colour::doubtful : colour::good, look) +
              sentences.headline.substr(colon));
  for (const std::string& sentence : sentences.remarks) text += indented(sentence);
  if (undecided && verdict.ranking.size() > 1 && !why.empty())
    text += indented(fmt::format("The search ended because {}; plans marked ? may be as good as the leader.", why));
  return text;
}

std::string format_left_out(const std::map<std::string, std::size_t>& trials_by_reason) {
  std::string text;
  for (const left_out_kind& kind : group_reasons(trials_by_reason))
    text += wrapped(
        fmt::format("Left out: {} invalid, {}{}", kind.trials, kind.is_example ? "for example: " : "", kind.reason));
  return text;
}

std::string format_oddities(const class_verdict& verdict) {
  std::string text = format_left_out(verdict.left_out) + format_outliers(verdict.outliers);
  for (const std::string& sentence : describe(verdict.order))
    text += wrapped("The order of the trials mattered: " + sentence);
  return text;
}

nlohmann::json make_json(const interval& range) { return nlohmann::json::array({range.low, range.high}); }

nlohmann::json make_json(const class_verdict& verdict) {
  const bool has_winner = !verdict.ranking.empty();
  const ranked_candidate* const next = verdict.ranking.size() > 1 ? &verdict.ranking[1] : nullptr;
  nlohmann::json ranking = nlohmann::json::array();
  for (const ranked_candidate& ranked : verdict.ranking) ranking.push_back(make_json(ranked));
  nlohmann::json outliers = nlohmann::json::array();
  for (const outlying_trial& one : verdict.outliers)
    outliers.push_back({{"plan", one.plan}, {"round", one.round}, {"times", one.times}});
  const rounds_needed needed = estimate_rounds_needed(verdict);
  return {{"class", to_string(verdict.measured_class)},
          {"winner", has_winner ? nlohmann::json(verdict.ranking.front().plan) : nlohmann::json(nullptr)},
          {"runner_up", next != nullptr ? nlohmann::json(next->plan) : nlohmann::json(nullptr)},
          {"ratio", next != nullptr ? nlohmann::json(next->to_winner.ratio.value) : nlohmann::json(nullptr)},
          {"interval", next != nullptr ? make_json(next->to_winner.ratio.range) : nlohmann::json(nullptr)},
          {"state", to_string(verdict.state)},
          {"ranking", ranking},
          {"at_worst", worst_case_ratio(verdict)},
          {"rounds_to_decide", {{"rounds", needed.rounds}, {"at_least", needed.at_least}}},
          {"left_out", verdict.left_out},
          {"unmeasured", verdict.unmeasured},
          {"outliers", outliers},
          {"order",
           {{"first", make_json(verdict.order.first)},
            {"drift", make_json(verdict.order.drift)},
            {"position", make_json(verdict.order.position)}}}};
}

std::string bar(const interval& range, double most, std::size_t columns, const screen& look) {
  const auto cells = [&](double value) {
    const double share = std::clamp(value / most, 0.0, 1.0);
    return static_cast<std::size_t>(std::lround(share * static_cast<double>(columns)));
  };
  const std::size_t all = std::max<std::size_t>(cells(range.high), range.high > 0 ? 1 : 0);
  const std::size_t full = std::min(std::max<std::size_t>(cells(range.low), range.low > 0 ? 1 : 0), all);
  return repeated(look.unicode ? "━" : "#", full) + repeated(look.unicode ? "┅" : "-", all - full);
}

}  // namespace freshet::tool
