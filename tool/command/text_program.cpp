#include "tool/command/text_program.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tool/base/place.hpp"
#include "tool/measure/quiet.hpp"
#include "tool/peer/child.hpp"

namespace freshet::tool {
namespace {

trial_result read_trial(const nlohmann::json& from, const trial_plan& plan) {
  trial_result trial = from.get<trial_result>();
  trial.plan = plan;
  return trial;
}

trial_result make_failure(const trial_plan& plan, const std::string& reason) {
  trial_result trial;
  trial.plan = plan;
  trial.validity = trial_validity::invalid;
  trial.reasons = {"the program failed: " + reason};
  return trial;
}

}  // namespace

text_program::text_program(const std::filesystem::path& directory)
    : directory_{std::filesystem::absolute(directory)}, files_{directory_} {}

program_files text_program::run(const trial_plan& plan) {
  constexpr double patience = 1;  // seconds for the device to become idle
  idle_baseline idle;
  files_.clear();
  const bool quiet = wait_until_quiet(directory_, file_system_at(directory_).device_name, idle, patience);
  const std::filesystem::path figures = files_.file(1);
  const child_call call{
      .words = {std::filesystem::read_symlink("/proc/self/exe").string(), "text", files_.file(0).string(), "--size",
                std::to_string(plan.size), "--method", plan.method, "--block", std::to_string(plan.block), "--depth",
                std::to_string(plan.depth), "--repeat", "2", "--no-store", "--json", figures.string()},
      .directory = directory_,
      .environment = merge_environment({})};
  try {
    child program{call, child::connection::listen};
    program.wait_for_success();
    std::ifstream in{figures};
    const nlohmann::json result = nlohmann::json::parse(in);
    program_files written{read_trial(result.at("trial"), plan), read_trial(result.at("later").at(0), plan)};
    written.first.started_quiet = written.later.started_quiet = quiet;
    files_.clear();
    return written;
  } catch (const child_failure& failure) {
    return {make_failure(plan, failure.what()), make_failure(plan, failure.what())};
  } catch (const nlohmann::json::exception& failure) {
    return {make_failure(plan, failure.what()), make_failure(plan, failure.what())};
  }
}

}  // namespace freshet::tool
