#include "lab/sweep/sweep_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "lab/encrypt/manifest.hpp"
#include "tool/search/counted_trials.hpp"

namespace freshet::tool {
namespace {

// The CPU seconds of the processes of all ranks; for each machine, those of its kernel and those stolen from it.
struct cpu_sum {
  double processes = 0;
  std::map<std::string, double> kernels;
  std::map<std::string, double> stolen;
};

double sum(const std::map<std::string, double>& machines) {
  double all = 0;
  for (const auto& [name, seconds] : machines) all += seconds;
  return all;
}

cpu_sum add_up(const std::vector<sweep_share>& shares) {
  cpu_sum cpu;
  for (const sweep_share& share : shares) {
    cpu.processes += share.cpu_process;
    double& kernel = cpu.kernels[share.machine];
    kernel = std::max(kernel, share.cpu_whole - share.cpu_process);
    double& stolen = cpu.stolen[share.machine];
    stolen = std::max(stolen, share.cpu_stolen);
  }
  return cpu;
}

// Ranks on one machine report some problems alike.
void add_reasons(trial_result& figures, const std::vector<std::string>& reasons, trial_validity validity) {
  for (const std::string& reason : reasons) {
    figures.validity = std::max(figures.validity, validity);
    if (std::ranges::find(figures.reasons, reason) == figures.reasons.end()) figures.reasons.push_back(reason);
    figures.wrong_content = figures.wrong_content || reason.starts_with(wrong_output);
  }
}

// Adds the failure of the first rank that failed. The output of a failed trial was not checked.
void add_failure(sweep_trial& trial, const std::vector<sweep_share>& shares) {
  const auto failed = std::ranges::find_if(shares, [](const sweep_share& share) { return !share.failure.empty(); });
  if (failed == shares.end()) return;
  trial.failure =
      shares.size() == 1 ? failed->failure : fmt::format("rank {}: {}", failed - shares.begin(), failed->failure);
  add_reasons(trial.figures, {trial.failure}, trial_validity::invalid);
}

// The figures that only a sweep has.
nlohmann::json list_own_figures(const sweep_trial& trial) {
  return {{"chosen", trial.chosen},
          {"why", trial.why},
          {"cpu_to_close", trial.cpu_to_close},
          {"bytes_out", trial.figures.bytes_written},
          {"failure", trial.failure},
          {"files_removed_shortly_before", trial.files_removed_shortly_before}};
}

// What tells the input apart from others of the same name.
nlohmann::json describe_input(const sweep_plan& plan, std::size_t corpus) {
  const corpus_shape& full = plan.corpora[corpus];
  const corpus_plan input = scale_corpus(plan, corpus);
  if (full.is_given()) return {{"files", input.files}, {"in", full.directory.string()}};
  nlohmann::json out{{"files", input.files}, {"lines", input.lines}, {"chars", input.chars}};
  if (input.vary) out["vary"] = true;  // equal plans of earlier versions do not have it
  return out;
}

}  // namespace

void merge(sweep_trial& trial, const std::vector<sweep_share>& shares) {
  add_failure(trial, shares);
  const cpu_sum cpu = add_up(shares);
  trial.figures.cpu_process = cpu.processes;
  trial.figures.cpu_whole = cpu.processes + sum(cpu.kernels);
  trial.figures.cpu_stolen = sum(cpu.stolen);
  trial.figures.bytes = 0;
  trial.figures.bytes_written = 0;
  trial.figures.peak_memory.reset();
  trial.figures.page_cache.reset();
  for (const sweep_share& share : shares) {
    trial.cpu_to_close += share.cpu_to_close;
    trial.figures.bytes += share.bytes_in;
    trial.figures.bytes_written += share.bytes_out;
    trial.figures.peak_memory = std::max(trial.figures.peak_memory, share.peak_memory);
    trial.figures.page_cache = std::max(trial.figures.page_cache, share.page_cache);
    add_reasons(trial.figures, share.problems, trial_validity::invalid);
    add_reasons(trial.figures, share.disturbances, trial_validity::disturbed);
  }
}

std::vector<std::string> find_exclusion_reasons(const sweep_trial& trial) {
  if (has_failed(trial)) return {trial.failure};
  return find_exclusion_reasons(trial.figures);
}

record make_record(const sweep_plan& plan, const sweep_trial& trial) {
  const sweep_cell& cell = trial.cell;
  record kept;
  kept.workload = "lines";
  kept.method = name_of(cell.how);
  kept.label = fmt::format("{}, {}", plan.corpora[cell.corpus].name, describe(cell));
  kept.plan = make_json(plan, cell);
  kept.plan.update({{"cipher", to_string(plan.cipher)},
                    {"streams", to_string(plan.streams)},
                    {"cache", plan.cold ? "cold" : "warm"},
                    {"ranks", plan.ranks}});
  kept.plan.update(describe_input(plan, cell.corpus));
  kept.extra = list_own_figures(trial);
  kept.figures = trial.figures;
  kept.figures.method = trial.chosen;
  kept.figures.plan.method = kept.method;
  kept.figures.plan.block = cell.buffer;
  kept.figures.plan.jobs = cell.threads;
  kept.figures.plan.size = trial.figures.bytes;
  return kept;
}

nlohmann::json make_json(const sweep_plan& plan, const sweep_trial& trial) {
  nlohmann::json out = trial.figures;
  for (const char* of_one_file : {"plan", "method", "lines", "generator_ceiling", "extents"}) out.erase(of_one_file);
  out.update(make_json(plan, trial.cell));
  out.update(list_own_figures(trial));
  if (!has_failed(trial)) out["failure"] = nullptr;
  return out;
}

}  // namespace freshet::tool
