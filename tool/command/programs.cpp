#include "tool/command/programs.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "tool/base/child.hpp"
#include "tool/base/clock.hpp"
#include "tool/base/place.hpp"
#include "tool/base/text.hpp"
#include "tool/measure/cpu.hpp"
#include "tool/measure/process.hpp"
#include "tool/measure/quiet.hpp"
#include "tool/trial/write_file.hpp"

namespace freshet::tool {
namespace {

trial_result read_trial(const nlohmann::json& from, const trial_plan& plan) {
  trial_result trial = from.get<trial_result>();
  trial.plan = plan;
  if (plan.memory == memory_state::left) trial.met_slow_memory = false;  // the program's own plan has another state
  return trial;
}

trial_result make_failure(const trial_plan& plan, const std::string& reason) {
  trial_result trial;
  trial.plan = plan;
  trial.validity = trial_validity::invalid;
  trial.reasons = {"the program failed: " + reason};
  return trial;
}

// Removes what the last program left, and waits until the device is idle, while `idle` watches; returns whether it
// became so.
bool clean_up(const std::filesystem::path& directory, scratch& files, idle_baseline& idle) {
  constexpr double patience = 1;  // seconds
  files.clear();
  return wait_until_quiet(directory, file_system_at(directory).device_name, idle, patience);
}

}  // namespace

text_program::text_program(const std::filesystem::path& directory, std::filesystem::path program)
    : directory_{std::filesystem::absolute(directory)},
      program_{program.empty() ? own_program() : std::filesystem::absolute(program)},
      files_{directory_} {}

void text_program::use_profile(const file_system_profile& entry) {
  profile_ = files_.kept_file(0);
  save_profile(profile_, entry);
}

program_files text_program::run_twice(const trial_plan& plan) {
  std::vector<trial_result> trials = run(plan, 2);
  return {std::move(trials.front()), std::move(trials.back())};
}

trial_result text_program::run(const trial_plan& plan) { return std::move(run(plan, 1).front()); }

std::vector<trial_result> text_program::run(const trial_plan& plan, unsigned files) {
  idle_baseline idle;
  const bool quiet = clean_up(directory_, files_, idle);
  const std::filesystem::path figures = files_.file(1);
  std::vector<std::string> words{program_.string(),
                                 "text",
                                 files_.file(0).string(),
                                 "--size",
                                 std::to_string(plan.size),
                                 "--method",
                                 std::string{name_for_library(plan)},
                                 "--durability",
                                 std::string{to_string(plan.measured_class)},
                                 "--no-store",
                                 "--json",
                                 figures.string()};
  if (plan.block != 0) words.insert(words.end(), {"--block", std::to_string(plan.block)});
  const bool has_profile = plan.prior == prior_state::profile;
  if (plan.depth != 0 && !has_profile) words.insert(words.end(), {"--depth", std::to_string(plan.depth)});
  if (files > 1) words.insert(words.end(), {"--repeat", std::to_string(files)});
  std::vector<trial_result> trials(files, make_failure(plan, "it left no figures"));
  std::vector<std::string> added;
  if (has_profile && !profile_.empty()) added.push_back("FRESHET_PROFILE=" + profile_.string());
  try {
    child program{{.words = words, .directory = directory_, .environment = merge_environment(added)},
                  child::connection::listen};
    program.wait_for_success();
    std::ifstream in{figures};
    const nlohmann::json result = nlohmann::json::parse(in);
    trials.front() = read_trial(result.at("trial"), plan);
    for (std::size_t i = 1; i < files; ++i) trials[i] = read_trial(result.at("later").at(i - 1), plan);
  } catch (const child_failure& failure) {
    trials.assign(files, make_failure(plan, failure.what() + (": " + failure.last_words())));
  } catch (const nlohmann::json::exception& failure) {
    trials.assign(files, make_failure(plan, failure.what()));
  }
  for (trial_result& trial : trials) trial.started_quiet = quiet;
  return trials;
}

}  // namespace freshet::tool
