#include "tool/analysis/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "tool/base/json_output.hpp"
#include "tool/search/matching.hpp"

namespace freshet::tool {
namespace {

std::string read_text(const nlohmann::json& plan, const char* name) {
  const auto value = plan.find(name);
  return value != plan.end() && value->is_string() ? value->get<std::string>() : std::string{};
}

void append(std::string& words, std::string_view word) {
  if (word.empty()) return;
  words += words.empty() ? "" : ", ";
  words += word;
}

// For files processed line by line, each corpus and each cipher makes a different task.
std::string describe_lines_task(const nlohmann::json& plan) {
  std::string words = read_text(plan, "corpus");
  if (const std::string cache = read_text(plan, "cache"); !cache.empty()) append(words, cache + " input");
  const std::string cipher = read_text(plan, "cipher");
  if (cipher != "xor") append(words, cipher);
  if (read_text(plan, "streams") == "freshet") append(words, "freshet's streams");
  return words;
}

std::string describe_special(const record& stored) {
  if (is_workload(stored.workload, workload_kind::lines)) return describe_lines_task(stored.plan);
  const trial_plan& plan = stored.figures.plan;
  std::string words;
  if (stored.method == "null") words = "the generator alone";
  if (plan.target == target_kind::overwrite) append(words, "written over");
  if (plan.memory == memory_state::recycled) append(words, "memory reused");
  if (!plan.ordered) append(words, plan.size_ahead ? "any order, size ahead" : "any order");
  if (plan.jobs > 1) append(words, fmt::format("{} files at once", plan.jobs));
  if (is_warm_up(stored)) append(words, "warm-up");
  if (is_diagnosis(stored)) append(words, "for comparison");
  return words;
}

// Repetitions may differ in their bytes, and in size, because a search begins with small files.
std::string make_identity(const record& stored) {
  nlohmann::json plan = stored.plan;
  if (plan.is_object())
    for (const char* const free : {"seed", "size"}) plan.erase(free);
  return stored.method + '\n' + stored.label + '\n' + to_text(plan);
}

double read_number(const nlohmann::json& figures, const char* name) {
  const auto value = figures.find(name);
  return value != figures.end() && value->is_number() ? value->get<double>() : std::numeric_limits<double>::quiet_NaN();
}

// Adds to places of the same name what distinguishes them.
void make_unique(std::vector<report_place>& places, const std::vector<std::string>& directories) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto same = [&](const report_place& other) {
      return other.file_system == places[i].file_system && other.key != places[i].key &&
             other.machine == places[i].machine;
    };
    if (std::ranges::any_of(places, same)) places[i].name += fmt::format(" ({})", directories[i]);
    const auto elsewhere = [&](const report_place& other) { return other.machine != places[i].machine; };
    if (std::ranges::any_of(places, elsewhere)) places[i].name += fmt::format(", {}", places[i].machine);
  }
}

}  // namespace

std::string describe_file_system(const environment& env) {
  const std::string type = env.file_system.empty() ? "unknown file system" : env.file_system;
  return env.device.empty() ? type : fmt::format("{} on {}", type, env.device);
}

report_groups::report_groups(const std::vector<run>& runs) {
  std::vector<std::string> directories;
  for (const run& each : runs) {
    const environment& env = each.env;
    const auto same = [&](const report_place& other) {
      return other.machine == env.machine && other.key == env.file_system_key && other.file_system == env.file_system;
    };
    const auto known = std::ranges::find_if(places_, same);
    place_of_run_.push_back(static_cast<std::size_t>(known - places_.begin()));
    if (known != places_.end()) continue;
    places_.push_back({env.machine, env.file_system_key, env.file_system, describe_file_system(env)});
    directories.push_back(env.directory);
  }
  make_unique(places_, directories);
}

report_cell report_groups::add(record&& stored, std::size_t run) {
  const std::size_t number = find_group(stored, run);
  const std::size_t row_number = find_row(stored, number);
  report_group& group = groups_[number];
  report_row& row = group.rows[row_number];
  candidate& entry = group.candidates[row_number];
  trial_result figures = std::move(stored.figures);
  figures.round = number_round(stored, run);
  figures.screening = is_screening(stored);
  entry.is_baseline = is_baseline(stored);
  run_share& share = row.by_run[run];
  share.trials.push_back(entry.trials.size());
  if (figures.is_usable()) share.latency.add(std::exchange(figures.block_latency, {}));
  ++group.trials;
  if (!figures.is_usable()) ++group.invalid;
  row.ids.push_back(stored.id);
  row.cpu_to_close.push_back(read_number(stored.more, "cpu_to_close"));
  entry.trials.push_back(std::move(figures));
  return {number, row_number};
}

std::size_t report_groups::find_group(const record& stored, std::size_t run) {
  const std::string special = describe_special(stored);
  const io_class measured_class = stored.figures.plan.measured_class;
  const std::size_t place = place_of(run);
  const std::string key = fmt::format("{}\n{}\n{}\n{}", place, stored.workload, to_string(measured_class), special);
  const auto [at, is_new] = group_by_key_.try_emplace(key, groups_.size());
  if (is_new)
    groups_.push_back({.place = place,
                       .workload = stored.workload,
                       .measured_class = measured_class,
                       .special = special,
                       .is_ranked = stored.method != "null"});
  return at->second;
}

std::size_t report_groups::find_row(const record& stored, std::size_t group) {
  report_group& into = groups_[group];
  const std::string key = fmt::format("{}\n{}\n{}", group, make_identity(stored), is_baseline(stored));
  const auto [at, is_new] = row_by_key_.try_emplace(key, into.rows.size());
  if (!is_new) return at->second;
  trial_plan plan = stored.figures.plan;
  plan.method = stored.method;
  plan.seed = at->second;
  into.candidates.push_back({.plan = plan});
  into.rows.push_back(
      {.method = stored.method, .label = stored.label.empty() ? stored.method : stored.label, .plan = stored.plan});
  return at->second;
}

// Numbers the rounds of all runs, because rounds of different runs are different rounds.
unsigned report_groups::number_round(const record& stored, std::size_t run) {
  const auto next = static_cast<unsigned>(rounds_.size());
  return rounds_.try_emplace({run, stored.figures.round}, next).first->second;
}

}  // namespace freshet::tool
