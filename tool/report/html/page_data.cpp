#include "tool/report/html/page_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <type_traits>
#include <utility>

#include "tool/analysis/group_verdict.hpp"
#include "tool/analysis/sweep_cells.hpp"
#include "tool/report/html/figures.hpp"

namespace freshet::tool {
namespace {

// Latencies and speeds over time are large; of many runs, only those over all runs are kept.
constexpr std::size_t most_detailed_shares = 400;

std::map<std::int64_t, std::size_t> numbered(const std::vector<run>& runs) {
  std::map<std::int64_t, std::size_t> number;
  for (std::size_t i = 0; i < runs.size(); ++i) number.emplace(runs[i].id, i);
  return number;
}

template <typename Values>
nlohmann::json column_of(const Values& values) {
  nlohmann::json column = nlohmann::json::array();
  column.get_ref<nlohmann::json::array_t&>().reserve(values.size());
  for (const auto& value : values) {
    if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>)
      column.push_back(page_number(value));
    else
      column.push_back(value);
  }
  return column;
}

latency_histogram merged_latency(const report_row& row) {
  latency_histogram all;
  for (const auto& [number, share] : row.by_run) all.add(share.latency);
  return all;
}

std::size_t invalid_trials(const candidate& who) { return who.trials.size() - valid_trials(who); }

// What distinguishes a row, beside its figures.
nlohmann::json head_of(const report_group& group, std::size_t number, std::size_t row, unsigned processors) {
  const report_row& about = group.rows[row];
  const trial_plan& plan = group.field[row].plan;
  nlohmann::json head{{"group", number},     {"method", about.method}, {"label", about.label}, {"plan", about.plan},
                      {"block", plan.block}, {"depth", plan.depth},    {"jobs", plan.jobs}};
  if (group.workload == "lines") {
    const sweep_place cell = sweep_place_of(group, row, processors);
    head["sweep"] = {{"strategy", cell.strategy},
                     {"threads", cell.threads},
                     {"work", cell.work},
                     {"seconds", page_number(cell.seconds)},
                     {"busy", cell.busy ? page_number(*cell.busy) : nlohmann::json(nullptr)}};
  }
  return head;
}

void add_counts(nlohmann::json& out, const candidate& who) {
  out["trials"] = who.trials.size();
  out["invalid"] = invalid_trials(who);
}

nlohmann::json row_json(const report_group& group, std::size_t number, std::size_t row, unsigned processors) {
  nlohmann::json out = head_of(group, number, row, processors);
  out.update(page_figures(group.field[row]));
  add_counts(out, group.field[row]);
  out["latency"] = page_latency(merged_latency(group.rows[row]));
  out["curve"] = page_curve(group.field[row], group.rows[row].ids);
  return out;
}

nlohmann::json share_json(const report_group& group, std::size_t row, const run_share& share, bool detailed) {
  const candidate part = part_of(group.field[row], share.trials);
  nlohmann::json out = page_figures(part);
  add_counts(out, part);
  if (!detailed) return out;
  std::vector<std::int64_t> ids;
  for (const std::size_t each : share.trials) ids.push_back(group.rows[row].ids[each]);
  out["latency"] = page_latency(share.latency);
  out["curve"] = page_curve(part, ids);
  return out;
}

nlohmann::json group_json(const report_group& group, const group_verdict& found, std::optional<unsigned> crossover) {
  return {{"place", group.place},
          {"workload", group.workload},
          {"class", to_string(group.what)},
          {"special", group.special},
          {"clock", ranks_by_disk(group.what) ? "disk" : "close"},
          {"reads", reads(group.what)},
          {"contest", group.ranks && group.workload != "lines"},
          {"generator", !group.ranks},
          {"state", found.state},
          {"headline", found.headline},
          {"remarks", found.remarks},
          {"cpu_bound_from", crossover ? nlohmann::json(*crossover) : nlohmann::json(nullptr)},
          {"trials", group.trials},
          {"invalid", group.invalid}};
}

// The ranking's order, then those that are in none.
std::vector<std::size_t> order_of(const report_group& group, const group_verdict& found) {
  std::vector<std::size_t> order;
  std::vector<bool> placed(group.rows.size());
  for (const row_standing& who : found.ranking) {
    order.push_back(who.row);
    placed[who.row] = true;
  }
  for (std::size_t row = 0; row < group.rows.size(); ++row)
    if (!placed[row]) order.push_back(row);
  return order;
}

void enter_standing(nlohmann::json& row, const group_verdict& found, std::size_t place) {
  if (place >= found.ranking.size()) return;
  const comparison& against = found.ranking[place].to_winner;
  row["rank"] = place + 1;
  row["result"] = place == 0 ? "winner" : std::string{to_string(against.result)};
  row["ratio"] = page_estimate(against.ratio);
  row["rounds"] = against.ratio.count;
}

}  // namespace

std::int64_t seconds_since_1970(const std::string& time) {
  using std::chrono::hours;
  using std::chrono::minutes;
  using std::chrono::seconds;
  using std::chrono::sys_days;
  int year_number = 0;
  unsigned month_number = 0;
  unsigned day_number = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  const int got = std::sscanf(time.c_str(), "%d-%2u-%2uT%2d:%2d:%2d", &year_number, &month_number, &day_number, &hour,
                              &minute, &second);
  const std::chrono::year_month_day date{std::chrono::year{year_number}, std::chrono::month{month_number},
                                         std::chrono::day{day_number}};
  if (got < 3 || !date.ok()) return 0;
  const auto since = sys_days{date}.time_since_epoch() + hours{hour} + minutes{minute} + seconds{second};
  return std::chrono::duration_cast<seconds>(since).count();
}

page_data::page_data(std::vector<run> runs)
    : runs_{std::move(runs)}, run_by_id_{numbered(runs_)}, groups_{runs_}, trials_of_run_(runs_.size()) {}

void page_data::add(record&& made) {
  const auto known = run_by_id_.find(made.run);
  if (known == run_by_id_.end()) return;
  const trial_result& figures = made.figures;
  ids_.push_back(made.id);
  run_.push_back(known->second);
  started_.push_back(seconds_since_1970(figures.started));
  close_.push_back(figures.rate_to_close());
  disk_.push_back(figures.rate_to_disk());
  cpu_.push_back(figures.cpu_whole / static_cast<double>(figures.bytes) * 1e9);
  verdict_.push_back(figures.validity);
  reason_.push_back(figures.reasons.empty() ? -1 : static_cast<std::int64_t>(reason_number(figures)));
  ++trials_of_run_[known->second];
  cell_.push_back(groups_.add(std::move(made), known->second));
}

std::size_t page_data::reason_number(const trial_result& made) {
  std::string all;
  for (const std::string& each : made.reasons) all += (all.empty() ? "" : "; ") + each;
  return reasons_.try_emplace(all, reasons_.size()).first->second;
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

// Equal ones once; the speeds of first touch are never the same twice.
nlohmann::json page_data::environments_json() const {
  nlohmann::json environments = nlohmann::json::array();
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    nlohmann::json facts = runs_[i].env;
    nlohmann::json lasting = facts;
    lasting.erase("first_touch_fresh");
    lasting.erase("first_touch_reused");
    const std::string text = lasting.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
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

unsigned page_data::processors_of(const report_group& group) const {
  for (std::size_t i = 0; i < runs_.size(); ++i)
    if (groups_.place_of(i) == group.place) return runs_[i].env.cpus;
  return 1;
}

std::vector<std::size_t> page_data::add_group(nlohmann::json& page, const report_group& group, bool detailed) const {
  const unsigned processors = processors_of(group);
  const group_verdict found = verdict_of(group, processors);
  const std::vector<std::size_t> order = order_of(group, found);
  nlohmann::json& rows = page["rows"];
  std::vector<std::size_t> numbers(group.rows.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    const std::size_t row = order[place];
    numbers[row] = rows.size();
    for (const auto& [run, share] : group.rows[row].by_run) {
      page["shares"].push_back(share_json(group, row, share, detailed));
      page["shares"].back()["run"] = run;
      page["shares"].back()["row"] = rows.size();
    }
    rows.push_back(row_json(group, page["groups"].size(), row, processors));
    enter_standing(rows.back(), found, place);
  }
  const auto crossover = group.workload == "lines" ? crossover_of(group, processors) : std::nullopt;
  page["groups"].push_back(group_json(group, found, crossover));
  return numbers;
}

std::vector<std::vector<std::size_t>> page_data::add_groups(nlohmann::json& page) const {
  std::size_t shares = 0;
  for (const report_group& group : groups_.all())
    for (const report_row& row : group.rows) shares += row.by_run.size();
  const bool detailed = shares <= most_detailed_shares;
  page["detailed_shares"] = detailed;
  for (const char* const list : {"groups", "rows", "shares"}) page[list] = nlohmann::json::array();
  std::vector<std::vector<std::size_t>> numbers;
  for (const report_group& group : groups_.all()) numbers.push_back(add_group(page, group, detailed));
  return numbers;
}

nlohmann::json page_data::trials_json(const std::vector<std::vector<std::size_t>>& row_numbers) const {
  std::vector<std::size_t> rows;
  rows.reserve(cell_.size());
  for (const report_cell& cell : cell_) rows.push_back(row_numbers[cell.group][cell.row]);
  std::string verdicts;
  for (const trial_validity each : verdict_) verdicts += to_string(each).front();
  return {{"id", column_of(ids_)},          {"run", column_of(run_)},     {"row", column_of(rows)},
          {"started", column_of(started_)}, {"close", column_of(close_)}, {"disk", column_of(disk_)},
          {"cpu", column_of(cpu_)},         {"verdict", verdicts},        {"reason", column_of(reason_)}};
}

}  // namespace freshet::tool
