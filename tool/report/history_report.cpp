#include "tool/report/history_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "tool/analysis/group_verdict.hpp"
#include "tool/base/size.hpp"
#include "tool/command/stored_runs.hpp"
#include "tool/report/table.hpp"
#include "tool/report/verdict_report.hpp"
#include "tool/search/matching.hpp"

namespace freshet::tool {
namespace {

constexpr std::string_view cell_by_cell = "lines";  // each of whose trials may be another task

/// The fastest of a class.
struct fastest_method {
  io_class what = io_class::none;
  std::string label;
  double rate = 0;
};

std::optional<fastest_method> fastest_of(const run_summary& one, io_class what) {
  const auto of_class = one.rates.find(what);
  if (of_class == one.rates.end()) return std::nullopt;
  fastest_method best{.what = what, .label = {}};
  for (const auto& [label, rates] : of_class->second) {
    const double rate = median(rates);
    if (rate > best.rate) best = {what, label, rate};
  }
  return best;
}

std::string trials_in_words(const run_summary& one, const screen& look) {
  std::string words = fmt::format("{} trial{}", one.trials, one.trials == 1 ? "" : "s");
  if (one.invalid != 0)
    words += fmt::format(", {}", painted(fmt::format("! {} invalid", one.invalid), colour::bad, look));
  return words;
}

std::string best_in_words(const run_summary& one) {
  if (one.rates.empty()) return {};
  const auto best = fastest_of(one, one.rates.begin()->first);
  return best ? fmt::format("; {}: {} {} MB/s", to_string(best->what), best->label, format_figure(best->rate)) : "";
}

std::string environment_in_words(const run_summary& one) {
  const environment& here = one.about.env;
  std::string text = wrapped(fmt::format("in {}, {}{}", here.directory, file_system_in_words(here),
                                         here.device_model.empty() ? "" : " (" + here.device_model + ")"));
  text += wrapped(fmt::format("on {}, {} processors, {}, Linux {}", here.machine, here.cpus, format_size(here.memory),
                              here.kernel));
  return text + wrapped(fmt::format("by freshet {}, {} to {}", here.version, time_in_words(one.about.started),
                                    one.about.ended.empty() ? "no end: it was stopped, or is at work"
                                                            : time_in_words(one.about.ended)));
}

std::string heading(const report_group& group) {
  return "\n" + wrapped(fmt::format("== {}; {}{}", class_in_words(group.what), group.workload,
                                    group.special.empty() ? "" : ", " + group.special));
}

/// Without a contest: each on its own.
std::string plain_table(const report_group& group, const screen& look) {
  using enum table::side;
  table rows{{{"", left}, {"way", left, true}, {"seconds"}, {"95 %"}, {"MB/s"}, {"trials"}}};
  for (std::size_t i = 0; i < group.field.size(); ++i) {
    std::vector<double> seconds;
    std::vector<double> rates;
    for (const trial_result& made : group.field[i].trials) {
      if (!counts(made)) continue;
      seconds.push_back(made.ranking_seconds());
      rates.push_back(static_cast<double>(made.bytes) / made.ranking_seconds() / 1e6);
    }
    const std::string& name = group.rows[i].label;
    if (seconds.empty()) {
      rows.add({painted("!", colour::bad, look), name, "-", "", "-", "0"});
      continue;
    }
    const estimate middle = estimate_median(seconds);
    rows.add({"", name, format_figure(middle.value),
              fmt::format("{}-{}", format_figure(middle.range.low), format_figure(middle.range.high)),
              format_figure(median(std::move(rates))), fmt::format("{}", middle.count)});
  }
  return rows.text(look.width);
}

std::string group_report(const report_group& group, const screen& look) {
  const std::string head = heading(group);
  if (!group.ranks || group.workload == cell_by_cell) return head + plain_table(group, look);
  const verdict found = rank_candidates(group.what, field_of(group), bootstrap_seed);
  if (found.ranking.empty()) return head + "No valid trial.\n" + oddities_in_words(found);
  const auto name = [&](const ranked_candidate& who) { return group.rows[who.who].label; };
  return head + (found.ranking.size() > 1 ? verdict_in_words(found, look, name) : "") +
         ranking_table(found, look, name, found.ranking.size()) + oddities_in_words(found);
}

}  // namespace

void run_summary::add(const record& made) {
  ++trials;
  if (!counts(made.figures)) {
    ++invalid;
    return;
  }
  if (is_warm_up(made) || made.method == "null" || made.workload == cell_by_cell) return;
  const double rate = static_cast<double>(made.figures.bytes) / made.figures.ranking_seconds() / 1e6;
  rates[made.figures.plan.what][made.label].push_back(rate);
}

std::string history_report(const std::vector<run_summary>& runs, const screen& look) {
  std::size_t digits = 1;
  for (const run_summary& one : runs) digits = std::max(digits, fmt::format("{}", one.about.id).size());
  std::string text;
  for (const run_summary& one : runs) {
    const environment& here = one.about.env;
    const std::string indent(digits + 2, ' ');
    const std::size_t room = look.width - indent.size();
    text +=
        fmt::format("{:>{}}  {}\n", one.about.id, digits,
                    shortened(fmt::format("{}  {}", time_in_words(one.about.started), one.about.words), room, look));
    text += fmt::format("{}{}\n", indent,
                        shortened(fmt::format("{}, {}", here.directory, file_system_in_words(here)), room, look));
    const std::string trials = trials_in_words(one, look);
    text += fmt::format("{}{}{}\n", indent, trials, shortened(best_in_words(one), room - display_width(trials), look));
  }
  return text;
}

std::string run_report(const run_summary& one, const report_groups& groups, const screen& look) {
  std::string text = wrapped(fmt::format("run {}: {}", one.about.id, one.about.words)) + environment_in_words(one) +
                     trials_in_words(one, look) + "\n";
  for (const bool contest : {true, false})
    for (const report_group& group : groups.all())
      if (group.ranks == contest) text += group_report(group, look);
  return text;
}

nlohmann::json in_json(const run_summary& one) {
  nlohmann::json fastest = nlohmann::json::array();
  for (const auto& [what, rates] : one.rates)
    if (const auto best = fastest_of(one, what))
      fastest.push_back({{"class", to_string(what)}, {"label", best->label}, {"mb_per_second", best->rate}});
  return {{"id", one.about.id},
          {"command", one.about.command},
          {"words", one.about.words},
          {"started", one.about.started},
          {"ended", one.about.ended.empty() ? nlohmann::json(nullptr) : nlohmann::json(one.about.ended)},
          {"environment", one.about.env},
          {"trials", one.trials},
          {"invalid", one.invalid},
          {"fastest", fastest}};
}

}  // namespace freshet::tool
