#include "tool/report/html/page_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "tool/analysis/comparison_text.hpp"
#include "tool/analysis/group_verdict.hpp"
#include "tool/analysis/sweep_cells.hpp"
#include "tool/base/clock.hpp"
#include "tool/base/json_optional.hpp"
#include "tool/base/json_output.hpp"
#include "tool/report/history_report.hpp"
#include "tool/report/html/figures.hpp"

namespace freshet::tool {
namespace {

// Latencies and speeds over time are large; if there are many runs, only those over all runs are kept.
constexpr std::size_t most_detailed_shares = 400;

std::map<std::int64_t, std::size_t> number_runs(const std::vector<run>& runs) {
  std::map<std::int64_t, std::size_t> number;
  for (std::size_t i = 0; i < runs.size(); ++i) number.emplace(runs[i].id, i);
  return number;
}

latency_histogram merge_latency(const report_row& row) {
  latency_histogram all;
  for (const auto& [number, share] : row.by_run) all.add(share.latency);
  return all;
}

std::size_t count_invalid(const candidate& entry) { return entry.trials.size() - count_usable(entry); }

// What the trials of a row come to.
nlohmann::json make_figures(const report_group& group, std::size_t row, unsigned processors, bool detailed) {
  const candidate& entry = group.candidates[row];
  nlohmann::json out = page_figures(entry);
  out["trials"] = entry.trials.size();
  out["invalid"] = count_invalid(entry);
  if (group.has_lines()) {
    const fastest_at_work cell = summarize_cell(group, row, processors);
    out["sweep"] = {{"strategy", cell.strategy},
                    {"threads", cell.threads},
                    {"work", cell.work},
                    {"seconds", page_number(cell.seconds)},
                    {"busy", cell.busy ? page_number(*cell.busy) : nlohmann::json(nullptr)}};
  }
  if (!detailed) return out;
  out["latency"] = page_latency(merge_latency(group.rows[row]));
  out["curve"] = page_curve(entry, group.rows[row].ids, group.rows[row].blocks);
  return out;
}

nlohmann::json make_row(const report_group& group, std::size_t number, std::size_t row, unsigned processors) {
  const report_row& about = group.rows[row];
  const trial_plan& plan = group.candidates[row].plan;
  nlohmann::json out{{"group", number},     {"method", about.method}, {"label", about.label}, {"plan", about.plan},
                     {"block", plan.block}, {"depth", plan.depth},    {"jobs", plan.jobs}};
  out.update(make_figures(group, row, processors, true));
  return out;
}

// Whether the group has a pick that enough rounds decided.
bool is_certain(const report_group& group, const group_verdict& verdict) {
  if (verdict.state != to_string(verdict_state::decided) && verdict.state != to_string(verdict_state::alike))
    return false;
  return usable_samples(group.candidates[verdict.ranking.front().row]).size() >= rounds_to_decide;
}

// What the trials of a group say.
nlohmann::json make_verdict(const report_group& group, const group_verdict& verdict, unsigned processors) {
  const auto crossover = group.has_lines() ? find_crossover(group, processors) : std::nullopt;
  return {{"state", verdict.state},     {"certain", is_certain(group, verdict)}, {"headline", verdict.headline},
          {"remarks", verdict.remarks}, {"cpu_bound_from", crossover},           {"trials", group.trials},
          {"invalid", group.invalid}};
}

nlohmann::json make_group(const report_group& group, const group_verdict& verdict, unsigned processors) {
  nlohmann::json out = group;
  out["place"] = group.place;
  out["special"] = group.special;
  out["clock"] = ranks_by_disk(group.measured_class) ? "disk" : "close";
  out["reads"] = reads(group.measured_class);
  out.update(make_verdict(group, verdict, processors));
  return out;
}

// Rows in the order of the ranking, then those that are not ranked.
std::vector<std::size_t> sort_rows(const report_group& group, const group_verdict& verdict) {
  std::vector<std::size_t> order;
  std::vector<bool> placed(group.rows.size());
  for (const ranked_row& ranked : verdict.ranking) {
    order.push_back(ranked.row);
    placed[ranked.row] = true;
  }
  for (std::size_t row = 0; row < group.rows.size(); ++row)
    if (!placed[row]) order.push_back(row);
  return order;
}

void add_rank(nlohmann::json& row, const group_verdict& verdict, std::size_t place) {
  if (place >= verdict.ranking.size()) return;
  const comparison& against = verdict.ranking[place].to_leader;
  row["rank"] = place + 1;
  row["result"] = place == 0 ? "winner" : std::string{to_string(against.result)};
  row["standing"] = to_string(verdict.ranking[place].place);
  row["ratio"] = page_estimate(against.ratio);
  if (place > 0) row["gain"] = format_gain(against);
  row["rounds"] = against.ratio.count;
}

}  // namespace

page_data::page_data(std::vector<run> runs, task_sizes sizes)
    : runs_{std::move(runs)},
      run_by_id_{number_runs(runs_)},
      groups_{runs_, std::move(sizes)},
      trials_of_run_(runs_.size()) {
  for (const char* const name : {"id", "run", "row", "started", "close", "disk", "cpu", "reason"})
    columns_[name] = nlohmann::json::array();
}

void page_data::add(record&& stored) {
  const auto known = run_by_id_.find(stored.run);
  if (known == run_by_id_.end()) return;
  const trial_result& figures = stored.figures;
  columns_["id"].push_back(stored.id);
  columns_["run"].push_back(known->second);
  columns_["started"].push_back(seconds_since_1970(figures.started));
  columns_["close"].push_back(page_number(figures.rate_to_close()));
  columns_["disk"].push_back(page_number(figures.rate_to_disk()));
  columns_["cpu"].push_back(page_number(figures.cpu_per_gb()));
  columns_["reason"].push_back(figures.reasons.empty() ? nlohmann::json(-1) : nlohmann::json(reason_number(figures)));
  verdicts_ += to_string(figures.validity).front();
  ++trials_of_run_[known->second];
  cell_.push_back(groups_.add(std::move(stored), known->second));
}

std::size_t page_data::reason_number(const trial_result& trial) {
  return reasons_.try_emplace(fmt::format("{}", fmt::join(trial.reasons, "; ")), reasons_.size()).first->second;
}

nlohmann::json page_data::json(nlohmann::json about) const {
  nlohmann::json page = std::move(about);
  page["places"] = places_json();
  page["environments"] = environments_json();
  page["runs"] = runs_json();
  std::vector<std::string> reasons(reasons_.size());
  for (const auto& [reason, number] : reasons_) reasons[number] = reason;
  page["reasons"] = reasons;
  page["trials"] = trials_json(add_groups(page));
  return page;
}

nlohmann::json page_data::places_json() const {
  nlohmann::json places = nlohmann::json::array();
  for (const report_place& each : groups_.places())
    places.push_back(
        {{"name", each.name}, {"file_system", each.file_system}, {"key", each.key}, {"machine", each.machine}});
  return places;
}

// Lists equal environments once, ignoring the speeds of first touch, which are never the same twice.
nlohmann::json page_data::environments_json() const {
  nlohmann::json environments = nlohmann::json::array();
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    nlohmann::json facts = runs_[i].env;
    nlohmann::json lasting = facts;
    lasting.erase("first_touch_fresh");
    lasting.erase("first_touch_reused");
    const std::string text = to_text(lasting);
    const auto [at, is_new] = known.try_emplace(text, environments.size());
    if (is_new)
      environments.push_back(
          {{"place", groups_.place_of(i)}, {"facts", std::move(facts)}, {"runs", nlohmann::json::array()}});
    environments[at->second]["runs"].push_back(i);
  }
  return environments;
}

nlohmann::json page_data::runs_json() const {
  nlohmann::json runs = nlohmann::json::array();
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const run& each = runs_[i];
    runs.push_back({{"id", each.id},
                    {"command", each.command},
                    {"words", each.words},
                    {"started", each.started},
                    {"seconds", seconds_since_1970(each.started)},
                    {"ended", each.ended},
                    {"place", groups_.place_of(i)},
                    {"trials", trials_of_run_[i]}});
  }
  return runs;
}

unsigned page_data::count_processors(const report_group& group) const {
  for (std::size_t i = 0; i < runs_.size(); ++i)
    if (groups_.place_of(i) == group.place) return runs_[i].env.cpus;
  return 1;
}

std::vector<std::size_t> page_data::add_group(nlohmann::json& page, const report_group& group, bool detailed) const {
  const unsigned processors = count_processors(group);
  const group_verdict verdict = make_group_verdict(group, processors);
  const std::vector<std::size_t> order = sort_rows(group, verdict);
  nlohmann::json& rows = page["rows"];
  std::vector<std::size_t> numbers(group.rows.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    numbers[order[place]] = rows.size();
    rows.push_back(make_row(group, page["groups"].size(), order[place], processors));
    add_rank(rows.back(), verdict, place);
  }
  for (std::size_t run = 0; run < runs_.size(); ++run) add_run(page, select_run(group, run), run, numbers, detailed);
  if (group.role == group_role::contest || group.role == group_role::lines)
    page["answers"].push_back(
        {{"group", page["groups"].size()}, {"task", describe_task(group)}, {"text", verdict.headline}});
  page["groups"].push_back(make_group(group, verdict, processors));
  return numbers;
}

void page_data::add_run(nlohmann::json& page, const run_part& part, std::size_t run,
                        const std::vector<std::size_t>& numbers, bool detailed) const {
  if (part.rows.empty()) return;
  const unsigned processors = count_processors(part.group);
  const group_verdict verdict = make_group_verdict(part.group, processors);
  const std::vector<std::size_t> order = sort_rows(part.group, verdict);
  nlohmann::json& shares = page["shares"];
  for (std::size_t place = 0; place < order.size(); ++place) {
    shares.push_back(make_figures(part.group, order[place], processors, detailed));
    shares.back()["run"] = run;
    shares.back()["row"] = numbers[part.rows[order[place]]];
    add_rank(shares.back(), verdict, place);
  }
  page["verdicts"].push_back(make_verdict(part.group, verdict, processors));
  page["verdicts"].back()["run"] = run;
  page["verdicts"].back()["group"] = page["groups"].size();
}

std::vector<std::vector<std::size_t>> page_data::add_groups(nlohmann::json& page) const {
  std::size_t shares = 0;
  for (const report_group& group : groups_.all())
    for (const report_row& row : group.rows) shares += row.by_run.size();
  const bool detailed = shares <= most_detailed_shares;
  page["detailed_shares"] = detailed;
  for (const char* const list : {"answers", "groups", "rows", "shares", "verdicts"})
    page[list] = nlohmann::json::array();
  std::vector<std::vector<std::size_t>> numbers(groups_.all().size());
  for (const std::size_t number : sort_groups()) numbers[number] = add_group(page, groups_.all()[number], detailed);
  return numbers;
}

std::vector<std::size_t> page_data::sort_groups() const {
  const std::vector<report_group>& all = groups_.all();
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t number) {
    const report_group& group = all[number];
    return std::tuple{group.role,
                      group.kind != "methods",
                      group.kind,
                      !group.special.empty(),
                      group.place,
                      group.workload != "text",
                      group.workload,
                      group.measured_class,
                      std::numeric_limits<std::uint64_t>::max() - group.size};
  });
  return order;
}

nlohmann::json page_data::trials_json(const std::vector<std::vector<std::size_t>>& row_numbers) const {
  nlohmann::json trials = columns_;
  for (const report_cell& cell : cell_) trials["row"].push_back(row_numbers[cell.group][cell.row]);
  trials["verdict"] = verdicts_;
  return trials;
}

}  // namespace freshet::tool
