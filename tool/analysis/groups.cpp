#include "tool/analysis/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tool/base/size.hpp"

namespace freshet::tool {
namespace {

constexpr std::string_view lines_workload = "lines";

std::string text_in(const nlohmann::json& plan, const char* name) {
  const auto found = plan.find(name);
  return found != plan.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

void append(std::string& words, std::string_view word) {
  if (word.empty()) return;
  words += words.empty() ? "" : ", ";
  words += word;
}

// Files processed line by line are another task with each corpus and cipher.
std::string special_lines(const nlohmann::json& plan) {
  std::string words = text_in(plan, "corpus");
  if (const std::string cache = text_in(plan, "cache"); !cache.empty()) append(words, cache + " input");
  const std::string cipher = text_in(plan, "cipher");
  if (cipher != "xor") append(words, cipher);
  if (text_in(plan, "streams") == "freshet") append(words, "freshet's streams");
  return words;
}

std::string special_of(const record& made) {
  if (made.workload == lines_workload) return special_lines(made.plan);
  const trial_plan& plan = made.figures.plan;
  std::string words;
  if (made.method == "null") words = "the generator alone";
  if (plan.target == target_kind::overwrite) append(words, "written over");
  if (plan.memory == memory_state::reused) append(words, "memory reused");
  if (!plan.ordered) append(words, plan.size_ahead ? "any order, size ahead" : "any order");
  if (plan.jobs > 1) append(words, fmt::format("{} files at once", plan.jobs));
  return words;
}

// Repetitions differ in their bytes, and a search begins with small files.
std::string identity_of(const record& made) {
  nlohmann::json plan = made.plan;
  if (plan.is_object())
    for (const char* const free : {"seed", "size"}) plan.erase(free);
  return made.method + '\n' + made.label + '\n' + plan.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

double number_in(const nlohmann::json& figures, const char* name) {
  const auto found = figures.find(name);
  return found != figures.end() && found->is_number() ? found->get<double>() : std::numeric_limits<double>::quiet_NaN();
}

std::string name_of(const environment& here) {
  const std::string type = here.file_system.empty() ? "unknown file system" : here.file_system;
  return here.device.empty() ? type : fmt::format("{} on {}", type, here.device);
}

// Places of the same name get what tells them apart.
void tell_apart(std::vector<report_place>& places, const std::vector<std::string>& directories) {
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

report_groups::report_groups(const std::vector<run>& runs) {
  std::vector<std::string> directories;
  for (const run& each : runs) {
    const environment& here = each.env;
    const auto same = [&](const report_place& other) {
      return other.machine == here.machine && other.key == here.file_system_key &&
             other.file_system == here.file_system;
    };
    const auto known = std::ranges::find_if(places_, same);
    place_of_run_.push_back(static_cast<std::size_t>(known - places_.begin()));
    if (known != places_.end()) continue;
    places_.push_back({here.machine, here.file_system_key, here.file_system, name_of(here)});
    directories.push_back(here.directory);
  }
  tell_apart(places_, directories);
}

report_cell report_groups::add(record&& made, std::size_t run) {
  const std::size_t number = group_of(made, run);
  const std::size_t row_number = row_of(made, number);
  report_group& group = groups_[number];
  report_row& row = group.rows[row_number];
  candidate& who = group.field[row_number];
  trial_result figures = std::move(made.figures);
  figures.round = round_of(made, run);
  run_share& share = row.by_run[run];
  share.trials.push_back(who.trials.size());
  if (counts(figures)) share.latency.add(std::exchange(figures.block_latency, {}));
  ++group.trials;
  if (!counts(figures)) ++group.invalid;
  row.ids.push_back(made.id);
  row.cpu_to_close.push_back(number_in(made.more, "cpu_to_close"));
  who.trials.push_back(std::move(figures));
  return {number, row_number};
}

std::size_t report_groups::group_of(const record& made, std::size_t run) {
  const std::string special = special_of(made);
  const io_class what = made.figures.plan.what;
  const std::size_t place = place_of(run);
  const std::string key = fmt::format("{}\n{}\n{}\n{}", place, made.workload, to_string(what), special);
  const auto [at, is_new] = group_by_key_.try_emplace(key, groups_.size());
  if (is_new)
    groups_.push_back({.place = place,
                       .workload = made.workload,
                       .what = what,
                       .special = special,
                       .ranks = made.method != "null",
                       .field = {},
                       .rows = {}});
  return at->second;
}

std::size_t report_groups::row_of(const record& made, std::size_t group) {
  report_group& into = groups_[group];
  const std::string key = fmt::format("{}\n{}", group, identity_of(made));
  const auto [at, is_new] = row_by_key_.try_emplace(key, into.rows.size());
  if (!is_new) return at->second;
  trial_plan plan = made.figures.plan;
  plan.method = made.method;
  plan.seed = at->second;
  into.field.push_back({.plan = plan});
  into.rows.push_back({.method = made.method,
                       .label = made.label.empty() ? made.method : made.label,
                       .plan = made.plan,
                       .ids = {},
                       .cpu_to_close = {},
                       .by_run = {}});
  return at->second;
}

// Rounds of different runs are different rounds.
unsigned report_groups::round_of(const record& made, std::size_t run) {
  const auto next = static_cast<unsigned>(rounds_.size());
  return rounds_.try_emplace({run, made.figures.round}, next).first->second;
}

}  // namespace freshet::tool
