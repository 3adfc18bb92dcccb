#include "tool/sweep/sweep_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "tool/base/json_members.hpp"
#include "tool/encrypt/manifest.hpp"

namespace freshet::tool {
namespace {

// Of all ranks' processes; of each machine, what its kernel did and what was stolen from it.
struct whole_bill {
  double processes = 0;
  std::map<std::string, double> kernels;
  std::map<std::string, double> stolen;
};

double sum(const std::map<std::string, double>& machines) {
  double all = 0;
  for (const auto& [name, seconds] : machines) all += seconds;
  return all;
}

whole_bill add_up(const std::vector<sweep_share>& shares) {
  whole_bill bill;
  for (const sweep_share& share : shares) {
    bill.processes += share.cpu_process;
    double& kernel = bill.kernels[share.machine];
    kernel = std::max(kernel, share.cpu_whole - share.cpu_process);
    double& stolen = bill.stolen[share.machine];
    stolen = std::max(stolen, share.cpu_stolen);
  }
  return bill;
}

// Of the first rank that failed; that the output is not what it was to be goes without saying then.
void enter_failure(sweep_trial& made, const std::vector<sweep_share>& shares) {
  const auto failed = std::ranges::find_if(shares, [](const sweep_share& share) { return !share.failure.empty(); });
  if (failed == shares.end()) return;
  made.failure =
      shares.size() == 1 ? failed->failure : fmt::format("rank {}: {}", failed - shares.begin(), failed->failure);
  made.figures.reasons.push_back(made.failure);
}

template <typename Share, typename Visitor>
void visit_members(Share& share, const Visitor& visitor) {
  visitor("machine", share.machine);
  visitor("cpu_to_close", share.cpu_to_close);
  visitor("cpu_process", share.cpu_process);
  visitor("cpu_whole", share.cpu_whole);
  visitor("cpu_stolen", share.cpu_stolen);
  visitor("peak_memory", share.peak_memory);
  visitor("bytes_in", share.bytes_in);
  visitor("bytes_out", share.bytes_out);
  visitor("faults", share.faults);
  visitor("failure", share.failure);
}

}  // namespace

void merge(sweep_trial& made, const std::vector<sweep_share>& shares) {
  enter_failure(made, shares);
  const whole_bill bill = add_up(shares);
  made.figures.cpu_process = bill.processes;
  made.figures.cpu_whole = bill.processes + sum(bill.kernels);
  made.figures.cpu_stolen = sum(bill.stolen);
  made.figures.bytes = 0;
  for (const sweep_share& share : shares) {
    made.cpu_to_close += share.cpu_to_close;
    made.figures.bytes += share.bytes_in;
    made.bytes_out += share.bytes_out;
    if (share.peak_memory) made.peak_memory = std::max(made.peak_memory.value_or(0), *share.peak_memory);
    for (const std::string& fault : share.faults)  // ranks on one machine share some of its
      if (std::ranges::find(made.figures.reasons, fault) == made.figures.reasons.end())
        made.figures.reasons.push_back(fault);
  }
  made.figures.peak_memory = made.peak_memory;
  made.figures.bytes_written = made.bytes_out;
  if (!made.figures.reasons.empty()) made.figures.validity = trial_validity::invalid;
}

void to_json(nlohmann::json& out, const sweep_share& share) { visit_members(share, json_member_writer{out}); }

void from_json(const nlohmann::json& in, sweep_share& share) { visit_members(share, json_member_reader{in}); }

record make_record(const sweep_plan& plan, const sweep_trial& made) {
  const sweep_cell& cell = made.cell;
  const corpus_plan input = scaled(plan, cell.corpus);
  record kept;
  kept.workload = "lines";
  kept.method = name_of(cell.how);
  kept.label = fmt::format("{}, {}", plan.corpora[cell.corpus].name, describe(cell));
  kept.plan = {{"corpus", plan.corpora[cell.corpus].name},
               {"files", input.files},
               {"lines", input.lines},
               {"chars", input.chars},
               {"strategy", kept.method},
               {"threads", cell.threads},
               {"work", cell.work},
               {"cipher", name_of(plan.cipher)},
               {"streams", plan.streams == stream_kind::std ? "std" : "freshet"},
               {"cache", plan.cold ? "cold" : "warm"},
               {"ranks", plan.ranks}};
  kept.more = {{"chosen", made.chosen},
               {"why", made.why},
               {"cpu_to_close", made.cpu_to_close},
               {"bytes_out", made.bytes_out},
               {"failure", made.failure},
               {"files_removed_shortly_before", made.files_removed_shortly_before}};
  kept.figures = made.figures;
  kept.figures.method = made.chosen;
  kept.figures.plan.method = kept.method;
  kept.figures.plan.jobs = cell.threads;
  kept.figures.plan.size = made.figures.bytes;
  return kept;
}

nlohmann::json in_json(const sweep_plan& plan, const sweep_trial& made) {
  nlohmann::json out = made.figures;
  for (const char* of_one_file : {"plan", "method", "lines", "generator_ceiling", "extents"}) out.erase(of_one_file);
  out["corpus"] = plan.corpora[made.cell.corpus].name;
  out["strategy"] = name_of(made.cell.how);
  out["threads"] = made.cell.threads;
  out["work"] = made.cell.work;
  out["chosen"] = made.chosen;
  out["why"] = made.why;
  out["cpu_to_close"] = made.cpu_to_close;
  out["peak_memory"] = made.peak_memory ? nlohmann::json(*made.peak_memory) : nlohmann::json(nullptr);
  out["bytes_out"] = made.bytes_out;
  out["failure"] = has_failed(made) ? nlohmann::json(made.failure) : nlohmann::json(nullptr);
  out["files_removed_shortly_before"] = made.files_removed_shortly_before;
  return out;
}

}  // namespace freshet::tool
