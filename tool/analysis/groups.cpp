#include "tool/analysis/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <limits>
#include <utility>

#include "tool/analysis/counting.hpp"
#include "tool/base/text.hpp"

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

// For files processed line by line, each corpus and each cipher makes a different task. A corpus without a name of its
// own has that of its directory.
std::string describe_lines_task(const nlohmann::json& plan) {
  std::string words = read_text(plan, "corpus");
  if (words.empty()) words = std::filesystem::path{read_text(plan, "in")}.lexically_normal().filename().string();
  if (const std::string cache = read_text(plan, "cache"); !cache.empty()) append(words, cache + " input");
  const std::string cipher = read_text(plan, "cipher");
  if (cipher != "xor") append(words, cipher);
  if (read_text(plan, "streams") == "freshet") append(words, "freshet's streams");
  if (const auto decrypts = plan.find("decrypt"); decrypts != plan.end() && *decrypts == true)
    append(words, "decrypted");
  return words;
}

std::string_view describe_purpose(trial_purpose purpose) {
  static constexpr std::array<std::string_view, 5> words{"", "", "warm-up", "by processes of their own",
                                                         "for comparison"};
  return words.at(static_cast<std::size_t>(purpose));
}

// "memory left"; empty for what is usual.
std::string describe_memory(const trial_plan& plan) {
  return plan.memory == memory_state::unbacked ? "" : fmt::format("memory {}", to_string(plan.memory));
}

std::string describe_variant(const record& stored) {
  if (is_workload(stored.workload, workload_kind::lines)) return describe_lines_task(stored.plan);
  const trial_plan& plan = stored.figures.plan;
  std::string words;
  if (stored.method == "null") words = "the generator alone";
  if (plan.target == target_kind::overwrite) append(words, "written over");
  append(words, describe_memory(plan));
  if (stored.figures.met_slow_memory) append(words, slow_memory_words);
  if (!plan.ordered) append(words, plan.size_ahead ? "any order, size ahead" : "any order");
  if (plan.jobs > 1) append(words, fmt::format("{} files at once", plan.jobs));
  if (is_aged(plan.volume)) append(words, "on aged file systems");
  append(words, describe_purpose(purpose_of(stored)));
  return words;
}

group_role choose_role(const record& stored) {
  const trial_purpose purpose = purpose_of(stored);
  if (purpose == trial_purpose::warm_up) return group_role::warm_up;
  if (stored.method == "null") return group_role::generator;
  if (is_workload(stored.workload, workload_kind::lines)) return group_role::lines;
  const bool explains = purpose == trial_purpose::diagnosis || purpose == trial_purpose::program;
  return explains ? group_role::diagnosis : group_role::contest;
}

// Without the state of memory, which the group has. Of two programs with the same label, as older versions stored them,
// says which one is meant.
std::string make_row_label(const record& stored, const report_group& group) {
  std::string label = stored.label.empty() ? stored.method : stored.label;
  if (const std::string memory = describe_memory(stored.figures.plan); !memory.empty())
    label = replaced(std::move(label), ", " + memory, "");
  const bool is_taken = std::ranges::find(group.rows, label, &report_row::label) != group.rows.end();
  return is_taken && side_of(stored) == "against" ? label + ", the other program" : label;
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
    if (!places[i].store.empty()) places[i].name += fmt::format(", {}", places[i].store);
  }
}

}  // namespace

std::string describe_kind(std::string_view command) {
  constexpr std::array<std::string_view, 3> of_methods{"tune", "bench", "text"};
  return std::string{std::ranges::find(of_methods, command) != of_methods.end() ? "methods" : command};
}

std::string describe_task(const report_group& group) {
  static constexpr std::array<std::string_view, 5> classes{"durability none", "durable at close",
                                                           "durable at each write", "reading, cold", "reading, warm"};
  std::string words = group.has_lines() ? "Files line by line" : group.workload;
  if (!words.empty()) words.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(words.front())));
  if (!group.has_lines()) append(words, classes.at(static_cast<std::size_t>(group.measured_class)));
  if (group.size != 0) append(words, format_size(group.size));
  append(words, group.variant);
  return words;
}

std::string describe_file_system(const environment& env) {
  const std::string type = env.file_system.empty() ? "unknown file system" : env.file_system;
  return env.device.empty() ? type : fmt::format("{} on {}", type, env.device);
}

report_groups::report_groups(const std::vector<run>& runs, task_sizes sizes) : sizes_{std::move(sizes)} {
  std::vector<std::string> directories;
  for (const run& each : runs) {
    const environment& env = each.env;
    kind_of_run_.push_back(describe_kind(each.command));
    const auto same = [&](const report_place& other) {
      return other.machine == env.machine && other.store == each.store && other.key == env.file_system_key &&
             other.file_system == env.file_system;
    };
    const auto known = std::ranges::find_if(places_, same);
    place_of_run_.push_back(static_cast<std::size_t>(known - places_.begin()));
    if (known != places_.end()) continue;
    places_.push_back({env.machine, each.store, env.file_system_key, env.file_system, describe_file_system(env)});
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
  row_in_run& share = row.by_run[run];
  share.trials.push_back(entry.trials.size());
  const bool blocks_show_it = shows_blocks(stored.method);
  const latency_histogram latency = std::exchange(figures.block_latency, {});
  row.blocks.push_back(blocks_show_it ? latency.calls() : 0);
  if (!blocks_show_it) figures.over_time = {};
  if (figures.is_usable() && blocks_show_it) share.latency.add(latency);
  ++group.trials;
  if (!figures.is_usable()) ++group.invalid;
  row.ids.push_back(stored.id);
  row.cpu_to_close.push_back(read_number(stored.extra, "cpu_to_close"));
  entry.trials.push_back(std::move(figures));
  return {number, row_number};
}

std::size_t report_groups::find_group(const record& stored, std::size_t run) {
  report_group group{.place = place_of(run),
                     .kind = kind_of_run_.at(run),
                     .workload = stored.workload,
                     .measured_class = stored.figures.plan.measured_class,
                     .size = find_size(stored),
                     .variant = describe_variant(stored),
                     .role = choose_role(stored)};
  const auto [at, is_new] = group_by_key_.try_emplace(
      {group.place, group.kind, group.workload, group.measured_class, group.size, group.variant, group.role},
      groups_.size());
  if (is_new) groups_.push_back(std::move(group));
  return at->second;
}

std::uint64_t report_groups::find_size(const record& stored) const {
  if (choose_role(stored) == group_role::lines) return 0;
  const std::uint64_t own = stored.figures.plan.size;
  if (choose_role(stored) != group_role::contest) return own;
  const auto known = sizes_.find({stored.run, stored.workload, stored.figures.plan.measured_class});
  return known == sizes_.end() ? own : std::max(own, known->second);
}

// A search begins with small files, so sizes may differ within a row. Two programs may have carried out one plan.
std::size_t report_groups::find_row(const record& stored, std::size_t group) {
  report_group& into = groups_[group];
  const bool is_baseline = purpose_of(stored) == trial_purpose::baseline;
  const auto [at, is_new] = row_by_key_.try_emplace(
      {group, stored.label, side_of(stored), make_plan_identity(stored, plan_part::all_but_size), is_baseline},
      into.rows.size());
  if (!is_new) return at->second;
  trial_plan plan = stored.figures.plan;
  plan.method = stored.method;
  into.candidates.push_back({.plan = plan, .is_baseline = is_baseline});
  into.rows.push_back({.method = stored.method, .label = make_row_label(stored, into), .plan = stored.plan});
  return at->second;
}

// Numbers the rounds of all runs, because rounds of different runs are different rounds.
unsigned report_groups::number_round(const record& stored, std::size_t run) {
  const auto next = static_cast<unsigned>(rounds_.size());
  return rounds_.try_emplace({run, stored.figures.round}, next).first->second;
}

}  // namespace freshet::tool
