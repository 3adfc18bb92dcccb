#include "tool/report/history_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "tool/analysis/comparison_text.hpp"
#include "tool/analysis/group_verdict.hpp"
#include "tool/base/json_output.hpp"
#include "tool/base/text.hpp"
#include "tool/report/table.hpp"
#include "tool/report/verdict_report.hpp"
#include "tool/search/answer.hpp"
#include "tool/search/counted_trials.hpp"

namespace freshet::tool {
namespace {

class_verdict rank(const report_group& group) { return rank_candidates(group.measured_class, make_candidates(group)); }

// The ranked group of each class; of a class measured in several ways, the one with the most trials.
std::map<io_class, const report_group*> find_main_groups(const run_summary& one) {
  std::map<io_class, const report_group*> groups;
  for (const report_group& group : one.groups.all()) {
    if (group.role != group_role::contest) continue;
    const report_group*& most = groups[group.measured_class];
    if (most == nullptr || group.trials > most->trials) most = &group;
  }
  return groups;
}

// What was drawn of the group; null if it is none of files processed line by line, or nothing was drawn.
const lines_section* find_lines(const run_summary& one, const report_group& group) {
  if (!group.has_lines()) return nullptr;
  std::size_t before = 0;
  for (const report_group& each : one.groups.all()) {
    if (&each == &group) break;
    if (each.has_lines()) ++before;
  }
  return before < one.lines.size() ? &one.lines[before] : nullptr;
}

std::string format_trial_count(const run_summary& one, const screen& look) {
  std::string words = format_count(one.trials, "trial");
  if (one.invalid != 0)
    words += fmt::format(", {}", painted(fmt::format("! {} invalid", one.invalid), colour::bad, look));
  return words;
}

// "; none: direct 4 MiB 1200 MB/s; cold: …": the best of each class.
std::string format_best(const run_summary& one) {
  std::string text;
  for (const auto& [measured_class, group] : find_main_groups(one)) {
    const class_verdict verdict = rank(*group);
    if (verdict.ranking.empty()) continue;
    const ranked_candidate& best = verdict.ranking.front();
    text += fmt::format("; {}: {} {} MB/s", to_string(measured_class), group->rows[best.index].label,
                        format_figure(best.rate.value));
  }
  return text;
}

std::string format_environment(const run_summary& one) {
  const environment& env = one.about.env;
  std::string text = wrapped(fmt::format("in {}, {}{}", printable(env.directory), describe_file_system(env),
                                         env.device_model.empty() ? "" : " (" + env.device_model + ")"));
  text += wrapped(
      fmt::format("on {}, {} processors, {}, Linux {}", env.machine, env.cpus, format_size(env.memory), env.kernel));
  return text +
         wrapped(fmt::format(
             "by freshet {}, {} to {}", env.version, format_time(one.about.started),
             one.about.ended.empty() ? "no end: it was stopped, or is still running" : format_time(one.about.ended))) +
         (one.about.lacks_result ? wrapped("Counts nowhere: its try at a campaign's step was cut off, or is still at "
                                           "work.")
                                 : "");
}

std::string heading(const report_group& group) {
  if (group.has_lines()) return "\n" + wrapped("== " + describe_task(group));
  return "\n" + wrapped(fmt::format("== {}; {}{}", describe_class(group.measured_class), group.workload,
                                    group.variant.empty() ? "" : ", " + group.variant));
}

// A table of trials that are not ranked.
std::string format_unranked(const report_group& group, const screen& look) {
  using enum table::side;
  table rows{{{"", left}, {"way", left, true}, {"seconds"}, {"range"}, {"MB/s"}, {"trials"}}};
  for (std::size_t i = 0; i < group.candidates.size(); ++i) {
    const std::vector<const trial_result*> usable = usable_samples(group.candidates[i]);
    const std::string& name = group.rows[i].label;
    if (usable.empty()) {
      rows.add({painted("!", colour::bad, look), name, "-", "", "-", "0"});
      continue;
    }
    const estimate middle = estimate_median(collect(usable, &trial_result::ranking_seconds));
    rows.add({"", name, format_figure(middle.value), middle.count > 1 ? format_figures(middle.range) : "",
              format_figure(median(collect(usable, &trial_result::ranking_rate))), fmt::format("{}", middle.count)});
  }
  return rows.text(look.width);
}

// What was drawn of the group, beside the rows where nobody drew them.
std::string format_lines(const report_group& group, const lines_section& lines, const screen& look) {
  if (lines.state == "none" && lines.rows.empty()) return format_unranked(group, look) + wrapped(lines.headline);
  if (lines.tables.empty()) return "No valid trial.\n";
  std::string text = lines.tables + wrapped(lines.headline);
  for (const std::string& remark : lines.remarks) text += wrapped(remark);
  return text;
}

std::string format_group(const report_group& group, const lines_section* lines, const screen& look) {
  const std::string head = heading(group);
  if (lines != nullptr) return head + format_lines(group, *lines, look);
  if (!group.is_ranked()) return head + format_unranked(group, look);
  const class_verdict verdict = rank(group);
  if (verdict.ranking.empty()) return head + "No valid trial.\n" + format_oddities(verdict);
  const candidate_namer name = name_rows(group);
  return head + format_verdict(verdict, look, name) + format_measured_figures(verdict, look, name) +
         format_oddities(verdict);
}

nlohmann::json make_json(const report_row& row, const report_row& leader, const ranked_candidate& ranked) {
  nlohmann::json entry = ranked;
  entry["label"] = row.label;
  entry["against"] = leader.label;
  entry["plan"] = row.plan;
  entry["range"] = entry["mb_per_second_interval"];
  entry["ratio_confidence"] = entry["confidence"];
  entry["confidence"] = ranked.rate.confidence;  // of the rate
  return entry;
}

nlohmann::json make_json(const report_group& group, const class_verdict& verdict) {
  nlohmann::json all = group;
  nlohmann::json& ranking = all["ranking"] = nlohmann::json::array();
  for (const std::vector<ranked_candidate>* part : {&verdict.ranking, &verdict.baselines})
    for (const ranked_candidate& ranked : *part)
      ranking.push_back(make_json(group.rows[ranked.index], group.rows[ranked.leader], ranked));
  if (verdict.ranking.empty()) return all;
  all["answer"] = describe_verdict(verdict, name_rows(group)).answer;
  all["sure"] = find_answer(verdict).is_sure;
  return all;
}

}  // namespace

std::string format_time(std::string_view utc) {
  std::string text{utc.substr(0, std::string_view{"2026-03-01T12:34"}.size())};
  std::ranges::replace(text, 'T', ' ');
  return text;
}

run_summary::run_summary(run one, task_sizes sizes) : about{std::move(one)}, groups{{about}, std::move(sizes)} {}

void run_summary::add(record&& stored) {
  ++trials;
  if (!stored.figures.is_usable()) ++invalid;
  if (purpose_of(stored) != trial_purpose::warm_up) groups.add(std::move(stored), 0);
}

void draw_runs(std::span<run_summary> runs, const lines_drawer& draw) {
  std::vector<lines_group> groups;
  for (const run_summary& one : runs)
    for (const report_group& group : one.groups.all())
      if (group.has_lines()) groups.push_back({&group, one.about.env.cpus});
  if (groups.empty()) return;
  std::vector<lines_section> drawn = draw_lines(groups, draw, text_width()).sections;
  auto next = drawn.begin();
  for (run_summary& one : runs)
    for (const report_group& group : one.groups.all())
      if (group.has_lines()) one.lines.push_back(std::move(*next++));
}

std::string format_history(const std::vector<run_summary>& runs, const screen& look) {
  std::size_t digits = 1;
  for (const run_summary& one : runs) digits = std::max(digits, fmt::format("{}", one.about.id).size());
  std::string text;
  for (const run_summary& one : runs) {
    const environment& env = one.about.env;
    const std::string indent(digits + 2, ' ');
    const std::size_t room = look.width - indent.size();
    text += fmt::format("{:>{}}  {}\n", one.about.id, digits,
                        shortened(fmt::format("{}  {}", format_time(one.about.started), one.about.words), room, look));
    text += fmt::format("{}{}\n", indent,
                        shortened(fmt::format("{}, {}, on {}{}", env.directory, describe_file_system(env), env.machine,
                                              one.about.store.empty() ? "" : ", from " + one.about.store),
                                  room, look));
    text += indent + wrapped(format_trial_count(one, look) + format_best(one), indent.size(), room);
  }
  return text;
}

std::string format_run(const run_summary& one, const screen& look) {
  std::string text = wrapped(fmt::format("run {}: {}", one.about.id, one.about.words)) + format_environment(one) +
                     format_trial_count(one, look) + "\n";
  for (const bool ranked : {true, false})
    for (const report_group& group : one.groups.all())
      if (group.is_ranked() == ranked) text += format_group(group, find_lines(one, group), look);
  return text;
}

void to_json(nlohmann::json& out, const report_group& group) {
  out = {{"task", describe_task(group)},
         {"kind", group.kind},
         {"role", to_string(group.role)},
         {"workload", group.workload},
         {"class", to_string(group.measured_class)},
         {"size", group.size},
         {"trials", group.trials},
         {"invalid", group.invalid}};
}

void to_json(nlohmann::json& out, const run_summary& one) {
  const std::map<io_class, const report_group*> main_groups = find_main_groups(one);
  std::map<io_class, nlohmann::json> fastest;
  nlohmann::json groups = nlohmann::json::array();
  for (const report_group& group : one.groups.all()) {
    const class_verdict verdict = group.is_ranked() ? rank(group) : class_verdict{};
    groups.push_back(make_json(group, verdict));
    if (const lines_section* const lines = find_lines(one, group)) groups.back()["cells"] = lines->cells;
    const auto main = main_groups.find(group.measured_class);
    if (main == main_groups.end() || main->second != &group || verdict.ranking.empty()) continue;
    const ranked_candidate& best = verdict.ranking.front();
    fastest[group.measured_class] = {{"class", to_string(group.measured_class)},
                                     {"label", group.rows[best.index].label},
                                     {"mb_per_second", best.rate.value}};
  }
  out = {{"id", one.about.id},
         {"command", one.about.command},
         {"words", one.about.words},
         {"started", one.about.started},
         {"ended", text_or_null(one.about.ended)},
         {"environment", one.about.env},
         {"store", text_or_null(one.about.store)},
         {"lacks_result", one.about.lacks_result},
         {"trials", one.trials},
         {"invalid", one.invalid},
         {"fastest", make_json_array(fastest, &decltype(fastest)::value_type::second)},
         {"groups", groups}};
}

}  // namespace freshet::tool
