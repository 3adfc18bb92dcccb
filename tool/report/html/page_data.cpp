#include "tool/report/html/page_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "tool/analysis/comparison_text.hpp"
#include "tool/analysis/group_verdict.hpp"
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

// A group, what its trials say, and its rows in the order of the page: that of the ranking, then those without a rank.
struct ranked_group {
  const report_group& group;
  const lines_section* lines;  // null if it has none
  group_verdict verdict;
  std::vector<std::size_t> order = {};

  ranked_group(const report_group& ranked, const lines_section* drawn)
      : group{ranked}, lines{drawn}, verdict{make_group_verdict(ranked, drawn)} {
    for (const ranked_row& each : verdict.ranking) order.push_back(each.row);
    for (std::size_t row = 0; row < group.rows.size(); ++row)
      if (std::ranges::find(verdict.ranking, row, &ranked_row::row) == verdict.ranking.end()) order.push_back(row);
  }
};

void add_rank(nlohmann::json& row, const ranked_row& ranked, std::size_t place) {
  const comparison& against = ranked.to_leader;
  row["rank"] = place + 1;
  row["result"] = place == 0 ? "winner" : std::string{to_string(against.result)};
  row["standing"] = to_string(ranked.place);
  row["ratio"] = page_estimate(against.ratio);
  if (place > 0) row["gain"] = format_gain(against);
  row["rounds"] = against.ratio.count;
}

// The cell of threads and work of a row that was drawn.
nlohmann::json page_cell(nlohmann::json cell) {
  for (const char* const name : {"seconds", "busy"})
    if (cell[name].is_number()) cell[name] = page_number(cell[name].get<double>());
  return cell;
}

// What the trials of the row at that place come to.
nlohmann::json make_figures(const ranked_group& ranked, std::size_t place, bool detailed) {
  const report_group& group = ranked.group;
  const std::size_t row = ranked.order[place];
  const candidate& entry = group.candidates[row];
  nlohmann::json out = page_figures(entry);
  out["trials"] = entry.trials.size();
  out["invalid"] = entry.trials.size() - count_usable(entry);
  if (place < ranked.verdict.ranking.size()) add_rank(out, ranked.verdict.ranking[place], place);
  if (ranked.lines != nullptr && row < ranked.lines->rows.size()) out["sweep"] = page_cell(ranked.lines->rows[row]);
  if (!detailed) return out;
  out["latency"] = page_latency(merge_latency(group.rows[row]));
  out["curve"] = page_curve(entry, group.rows[row].ids, group.rows[row].blocks);
  return out;
}

nlohmann::json make_row(const ranked_group& ranked, std::size_t place, std::size_t group) {
  const report_row& about = ranked.group.rows[ranked.order[place]];
  const trial_plan& plan = ranked.group.candidates[ranked.order[place]].plan;
  nlohmann::json out{{"group", group},      {"method", about.method}, {"label", about.label}, {"plan", about.plan},
                     {"block", plan.block}, {"depth", plan.depth},    {"jobs", plan.jobs}};
  out.update(make_figures(ranked, place, true));
  return out;
}

// What the trials of a group say.
nlohmann::json make_verdict(const ranked_group& ranked) {
  const auto& [group, lines, verdict, order] = ranked;
  nlohmann::json crossover;
  if (lines != nullptr && lines->cpu_bound_from) crossover = *lines->cpu_bound_from;
  return {{"state", verdict.state},     {"certain", verdict.is_sure},  {"headline", verdict.headline},
          {"remarks", verdict.remarks}, {"cpu_bound_from", crossover}, {"trials", group.trials},
          {"invalid", group.invalid}};
}

nlohmann::json make_group(const ranked_group& ranked) {
  const report_group& group = ranked.group;
  nlohmann::json out = group;
  out["place"] = group.place;
  out["special"] = group.variant;
  out["clock"] = ranks_by_disk(group.measured_class) ? "disk" : "close";
  out["reads"] = reads(group.measured_class);
  out.update(make_verdict(ranked));
  return out;
}

nlohmann::json list_places(const report_groups& groups) {
  return make_json_array(groups.places(), [](const report_place& each) {
    return nlohmann::json{
        {"name", each.name}, {"file_system", each.file_system}, {"key", each.key}, {"machine", each.machine}};
  });
}

// Lists equal environments once, ignoring the speeds of first touch, which are never the same twice.
nlohmann::json list_environments(const std::vector<run>& runs, const report_groups& groups) {
  nlohmann::json environments = nlohmann::json::array();
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    nlohmann::json facts = runs[i].env;
    nlohmann::json lasting = facts;
    lasting.erase("first_touch_fresh");
    lasting.erase("first_touch_reused");
    const auto [at, is_new] = known.try_emplace(to_text(lasting), environments.size());
    if (is_new)
      environments.push_back(
          {{"place", groups.place_of(i)}, {"facts", std::move(facts)}, {"runs", nlohmann::json::array()}});
    environments[at->second]["runs"].push_back(i);
  }
  return environments;
}

// The numbers of the groups in the page's order: the contests of methods first.
std::vector<std::size_t> sort_groups(const std::vector<report_group>& all) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t number) {
    const report_group& group = all[number];
    return std::tuple{group.role,
                      group.kind != "methods",
                      group.kind,
                      !group.variant.empty(),
                      group.place,
                      group.workload != "text",
                      group.workload,
                      group.measured_class,
                      std::numeric_limits<std::uint64_t>::max() - group.size};
  });
  return order;
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
  page["places"] = list_places(groups_);
  page["environments"] = list_environments(runs_, groups_);
  page["runs"] = runs_json();
  std::vector<std::string> reasons(reasons_.size());
  for (const auto& [reason, number] : reasons_) reasons[number] = reason;
  page["reasons"] = reasons;
  page["trials"] = trials_json(add_groups(page));
  return page;
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
                    {"store", text_or_null(each.store)},
                    {"trials", trials_of_run_[i]}});
  }
  return runs;
}

unsigned page_data::count_processors(const report_group& group) const {
  for (std::size_t i = 0; i < runs_.size(); ++i)
    if (groups_.place_of(i) == group.place) return runs_[i].env.cpus;
  return 1;
}

void page_data::draw(const lines_drawer& draw) {
  std::deque<report_group> parts;
  std::vector<part_key> keys;
  std::vector<lines_group> drawn;
  for (std::size_t number = 0; number < groups_.all().size(); ++number) {
    const report_group& group = groups_.all()[number];
    if (!group.has_lines()) continue;
    const auto add_part = [&](const report_group& part, std::size_t run) {
      keys.emplace_back(number, run);
      drawn.push_back({&part, count_processors(group)});
    };
    add_part(group, all_runs);
    for (std::size_t run = 0; run < runs_.size(); ++run)
      if (run_part part = select_run(group, run); !part.rows.empty())
        add_part(parts.emplace_back(std::move(part.group)), run);
  }
  lines_drawing drawing = draw_lines(drawn, draw);
  for (std::size_t i = 0; i < keys.size(); ++i) lines_[keys[i]] = std::move(drawing.sections.at(i));
  script_ = std::move(drawing.script);
}

const lines_section* page_data::find_lines(const part_key& key) const {
  const auto drawn = lines_.find(key);
  return drawn == lines_.end() ? nullptr : &drawn->second;
}

std::vector<std::size_t> page_data::add_group(nlohmann::json& page, std::size_t group_number, bool detailed) const {
  const report_group& group = groups_.all()[group_number];
  const std::size_t number = page["groups"].size();
  const ranked_group ranked{group, find_lines({group_number, all_runs})};
  nlohmann::json& rows = page["rows"];
  std::vector<std::size_t> numbers(group.rows.size());
  for (std::size_t place = 0; place < ranked.order.size(); ++place) {
    numbers[ranked.order[place]] = rows.size();
    rows.push_back(make_row(ranked, place, number));
  }
  for (std::size_t run = 0; run < runs_.size(); ++run)
    add_run(page, select_run(group, run), {group_number, run}, numbers, detailed);
  if (group.role == group_role::contest || group.role == group_role::lines)
    page["answers"].push_back({{"group", number}, {"task", describe_task(group)}, {"text", ranked.verdict.headline}});
  page["groups"].push_back(make_group(ranked));
  return numbers;
}

void page_data::add_run(nlohmann::json& page, const run_part& part, const part_key& key,
                        const std::vector<std::size_t>& numbers, bool detailed) const {
  if (part.rows.empty()) return;
  const std::size_t run = key.second;
  const ranked_group ranked{part.group, find_lines(key)};
  nlohmann::json& shares = page["shares"];
  for (std::size_t place = 0; place < ranked.order.size(); ++place) {
    shares.push_back(make_figures(ranked, place, detailed));
    shares.back()["run"] = run;
    shares.back()["row"] = numbers[part.rows[ranked.order[place]]];
  }
  page["verdicts"].push_back(make_verdict(ranked));
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
  for (const std::size_t number : sort_groups(groups_.all())) numbers[number] = add_group(page, number, detailed);
  return numbers;
}

nlohmann::json page_data::trials_json(const std::vector<std::vector<std::size_t>>& row_numbers) const {
  nlohmann::json trials = columns_;
  for (const report_cell& cell : cell_) trials["row"].push_back(row_numbers[cell.group][cell.row]);
  trials["verdict"] = verdicts_;
  return trials;
}

}  // namespace freshet::tool
