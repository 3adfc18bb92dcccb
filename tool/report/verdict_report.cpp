#include "tool/report/verdict_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tool/analysis/comparison_text.hpp"
#include "tool/base/json_optional.hpp"
#include "tool/base/json_output.hpp"
#include "tool/base/text.hpp"
#include "tool/report/table.hpp"
#include "tool/search/answer.hpp"
#include "tool/search/reasons.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t longest_bar = 24;
constexpr std::size_t shortest_bar = 8;
constexpr std::size_t outliers_named = 3;

struct mark {
  std::string_view sign;
  colour paint = colour::none;
};

mark choose_mark(const ranked_candidate& ranked) {
  if (ranked.place == rank_class::pick) return {">", colour::good};
  if (ranked.place == rank_class::not_in_final) return {"?", colour::doubtful};
  const bool is_slower = ranked.to_leader.result == outcome::worse;
  return is_slower ? mark{"", colour::none} : mark{"=", colour::good};
}

bool have_one_size(const std::vector<ranked_candidate>& ranking) {
  return std::ranges::all_of(ranking,
                             [&](const ranked_candidate& ranked) { return ranked.size == ranking.front().size; });
}

std::string format_trials(const ranked_candidate& ranked, bool with_size) {
  return with_size ? fmt::format("{} x {}", ranked.rate.count, format_size(ranked.size))
                   : fmt::format("{}", ranked.rate.count);
}

// Whether the range of its time says anything: not that of the pick, nor that of a single round.
bool is_bounded(const ranked_candidate& ranked) {
  return ranked.place != rank_class::pick && ranked.to_leader.ratio.range.low > 0;
}

// The rows of a ranking: the first ones, then the baselines.
std::vector<const ranked_candidate*> choose_rows(const class_verdict& verdict, std::size_t rows) {
  std::vector<const ranked_candidate*> chosen;
  for (std::size_t i = 0; i < std::min(verdict.ranking.size(), rows); ++i) chosen.push_back(&verdict.ranking[i]);
  for (const ranked_candidate& baseline : verdict.baselines) chosen.push_back(&baseline);
  return chosen;
}

// With 0 `bar_columns`, only the column for the bars.
table make_ranking_table(const class_verdict& verdict, const screen& look, const candidate_namer& name,
                         std::size_t rows, std::size_t bar_columns) {
  using enum table::side;
  table list{{{"", left},
              {reads(verdict.measured_class) ? "way to read" : "way to write", left, true},
              {"MB/s"},
              {"", left, false, true},
              {"time"},
              {"range"},
              {"CPU s/GB", right, false, true}}};
  const std::vector<const ranked_candidate*> shown = choose_rows(verdict, rows);
  // A bar's dotted end may be far: it is cut.
  double most = 0;
  for (const ranked_candidate* ranked : shown) most = std::max(most, ranked->rate.value);
  constexpr double room_for_ranges = 1.5;
  most *= room_for_ranges;
  for (const ranked_candidate* ranked : shown) {
    const mark sign = choose_mark(*ranked);
    interval rates = ranked->rate.range;
    rates.high = std::min(rates.high, most);
    std::vector<std::string> cells{painted(sign.sign, sign.paint, look), name(*ranked),
                                   format_figure(ranked->rate.value)};
    if (bar_columns > 0) cells.push_back(painted(bar(rates, most, bar_columns, look), sign.paint, look));
    cells.insert(cells.end(), {fmt::format("{:.2f}", ranked->to_leader.ratio.value),
                               is_bounded(*ranked) ? format_range(ranked->to_leader.ratio.range) : "",
                               fmt::format("{:.3f}", ranked->cpu_per_gb)});
    list.add(std::move(cells));
  }
  return list;
}

std::string explain_marks(const class_verdict& verdict) {
  std::string text = "> the pick";
  const std::vector<const ranked_candidate*> shown = choose_rows(verdict, verdict.ranking.size());
  const auto explain = [&](std::string_view sign, std::string_view words) {
    const auto has = [&](const ranked_candidate* ranked) { return choose_mark(*ranked).sign == sign; };
    if (std::ranges::any_of(shown, has)) text += words;
  };
  explain("=", "; = may be as good");
  explain("?", "; ? left early, unproven");
  explain("", "; no mark: slower");
  return text + ". Time: times the pick's, with its range.";
}

std::string indented(const std::string& sentence) { return "   " + wrapped(sentence, 3, text_width() - 3); }

// "files of 64 MiB; memory as the trial before left it": what all ways have in common; empty if there is nothing.
std::string describe_common(const std::vector<ranked_candidate>& ranking) {
  static constexpr std::array<std::string_view, 3> memory{"", "memory that held another file just before",
                                                          "memory as the trial before left it"};
  const ranked_candidate& pick = ranking.front();
  // A program's files have a size that nobody was told.
  std::string text =
      have_one_size(ranking) && pick.size != 0 ? fmt::format("files of {}", format_size(pick.size)) : std::string{};
  const std::string_view state = memory.at(static_cast<std::size_t>(pick.plan.memory));
  if (!state.empty()) text += fmt::format("{}{}", text.empty() ? "" : "; ", state);
  return text;
}

std::string format_outliers(const std::vector<outlying_trial>& outliers) {
  if (outliers.empty()) return {};
  std::string text = format_count(outliers.size(), "outlier") + ", still counted: ";
  for (std::size_t i = 0; i < std::min(outliers.size(), outliers_named); ++i)
    text += fmt::format("{}{} took {:.2g} times its median (round {})", i == 0 ? "" : "; ", describe(outliers[i].plan),
                        outliers[i].times, outliers[i].round);
  if (outliers.size() > outliers_named) text += fmt::format("; and {} more", outliers.size() - outliers_named);
  return wrapped(text);
}

std::string repeated(std::string_view mark, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += mark;
  return all;
}

}  // namespace

std::string format_range(const interval& range) { return fmt::format("{:.2f}-{:.2f}", range.low, range.high); }

std::string describe_disturbed(const disturbances& all) {
  if (all.counted == 0) return {};
  return fmt::format("Disturbed trials that count for want of others: {} of {} ({}).", all.counted, all.trials,
                     all.reason);
}

std::string format_plan_name(const ranked_candidate& ranked) {
  return ranked.plan.method == "ofstream" ? "std::ofstream" : describe(ranked.plan);
}

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
  if (verdict.ranking.size() > rows) text += fmt::format("   and {} more\n", verdict.ranking.size() - rows);
  if (verdict.ranking.size() > 1) text += indented(explain_marks(verdict));
  if (const std::string common = describe_common(verdict.ranking); !common.empty()) text += indented(common);
  return text;
}

std::string format_measured_figures(const class_verdict& verdict, const screen& look, const candidate_namer& name) {
  using enum table::side;
  table list{{{"", left},
              {"as measured", left, true},
              {"MB/s"},
              {"range", right, false, true},
              {"CPU s/GB", right, false, true},
              {"cost"},
              {"why it left", left, true},
              {"trials"}}};
  const bool one_size = have_one_size(verdict.ranking);
  for (const ranked_candidate* ranked : choose_rows(verdict, verdict.ranking.size()))
    list.add({painted(choose_mark(*ranked).sign, choose_mark(*ranked).paint, look), name(*ranked),
              format_figure(ranked->rate.value), ranked->rate.count < 2 ? "" : format_figures(ranked->rate.range),
              fmt::format("{:.3f}", ranked->cpu_per_gb), fmt::format("{:.2f}", ranked->cpu_cost.ratio.value),
              ranked->dropped, format_trials(*ranked, !one_size)});
  return list.text(look.width) +
         indented(std::string{
             "Each way's own median, with an interval of 95 % from six trials on, and from the smallest to the "
             "largest with fewer. Cost: times the pick's CPU seconds."});
}

std::string format_answer(const class_verdict& verdict, const screen& look, const candidate_namer& name,
                          std::string_view more) {
  return format_answer(verdict, look, name, find_answer(verdict), more);
}

std::string format_answer(const class_verdict& verdict, const screen& look, const candidate_namer& name,
                          const class_answer& answer, std::string_view more) {
  const std::string sentences = describe_verdict(verdict, name, answer).answer;
  const bool is_sure = verdict.ranking.size() > 1 && answer.is_sure;
  const std::size_t comma = sentences.find(',');
  return wrapped(painted(sentences.substr(0, comma), is_sure ? colour::good : colour::doubtful, look) +
                 sentences.substr(comma) + std::string{more});
}

std::string format_remarks(const class_verdict& verdict, const candidate_namer& name) {
  std::string text;
  for (const std::string& sentence : describe_verdict(verdict, name).remarks) text += indented(sentence);
  return text;
}

std::string format_verdict(const class_verdict& verdict, const screen& look, const candidate_namer& name) {
  return format_answer(verdict, look, name) + format_remarks(verdict, name) +
         format_ranking(verdict, look, name, verdict.ranking.size());
}

std::string format_other_memory(const class_verdict& verdict, const candidate_namer& name) {
  const std::string sentence = describe_other_memory(verdict, name);
  return sentence.empty() ? sentence : indented(sentence);
}

std::string format_left_out(const std::map<std::string, std::size_t>& trials_by_reason) {
  std::string text;
  for (const left_out_kind& kind : group_reasons(trials_by_reason))
    text += wrapped(
        fmt::format("Left out: {} invalid, {}{}", kind.trials, kind.is_example ? "for example: " : "", kind.reason));
  return text;
}

std::string format_oddities(const class_verdict& verdict) {
  std::string text = format_left_out(verdict.left_out);
  if (const std::string sentence = describe_disturbed(verdict.disturbed); !sentence.empty()) text += wrapped(sentence);
  text += format_outliers(verdict.outliers);
  for (const std::string& sentence : describe(verdict.order))
    text += wrapped("The order of the trials mattered: " + sentence);
  return text;
}

void to_json(nlohmann::json& out, const interval& range) { out = nlohmann::json::array({range.low, range.high}); }

void to_json(nlohmann::json& out, const comparison& against) {
  out = {{"ratio", against.ratio.value},  {"interval", against.ratio.range}, {"confidence", against.ratio.confidence},
         {"rounds", against.ratio.count}, {"paired", against.paired},        {"gain", format_gain(against)}};
}

void to_json(nlohmann::json& out, const ranked_candidate& ranked) {
  out = {{"plan", ranked.plan},
         {"size", ranked.size},
         {"mb_per_second", ranked.rate.value},
         {"mb_per_second_interval", ranked.rate.range},
         {"cpu_seconds_per_gb", ranked.cpu_per_gb},
         {"trials", ranked.rate.count},
         {"counted", ranked.rate.count},
         {"left_out", ranked.left_out},
         {"bounds", ranked.to_leader.ratio.range},
         {"standing", to_string(ranked.place)},
         {"bill_ratio", ranked.cpu_cost.ratio.value},
         {"bill_interval", ranked.cpu_cost.ratio.range},
         {"bill_differs", ranked.cpu_cost.differs},
         {"bound_by_generator", ranked.bound_by_generator},
         {"competes", ranked.may_be_picked},
         {"dropped", text_or_null(ranked.dropped)}};
  out.update(nlohmann::json(ranked.to_leader));
}

void to_json(nlohmann::json& out, const disturbances& all) {
  out = {{"trials", all.disturbed}, {"of", all.trials}, {"counted", all.counted}, {"reason", all.reason}};
}

void to_json(nlohmann::json& out, const outlying_trial& one) {
  out = {{"plan", one.plan}, {"round", one.round}, {"times", one.times}};
}

void to_json(nlohmann::json& out, const order_effect& effect) {
  out = {{"slower", effect.slower}, {"significance", effect.significance}, {"noticed", effect.noticed()}};
}

void to_json(nlohmann::json& out, const class_verdict& verdict) {
  const bool has_pick = !verdict.ranking.empty();
  const verdict_text text = has_pick ? describe_verdict(verdict, format_plan_name) : verdict_text{};
  out = {
      {"class", to_string(verdict.measured_class)},
      {"answer", text_or_null(text.answer)},
      {"remarks", text.remarks},
      {"winner", has_pick ? nlohmann::json(verdict.ranking.front().plan) : nlohmann::json(nullptr)},
      {"state", to_string(verdict.state)},
      {"decided_by", to_string(verdict.reason)},
      {"matters", verdict.negligible_share},
      {"ranking", verdict.ranking},
      {"baselines", verdict.baselines},
      {"at_worst", verdict.at_worst},
      {"rounds_to_decide", estimate_rounds_needed(verdict)},
      {"left_out", verdict.left_out},
      {"disturbed", verdict.disturbed},
      {"unmeasured", verdict.unmeasured},
      {"outliers", verdict.outliers},
      {"order", {{"first", verdict.order.first}, {"drift", verdict.order.drift}, {"position", verdict.order.position}}},
      {"met_slow_memory", verdict.met_slow_memory},
      {"other_memory", verdict.other_memory ? nlohmann::json(*verdict.other_memory) : nlohmann::json(nullptr)}};
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
