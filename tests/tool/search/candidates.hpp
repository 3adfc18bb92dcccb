// Candidates with made-up figures, for tests of how they are compared.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tool/search/candidate_figures.hpp"

namespace freshet::tool {

inline constexpr std::uint64_t gigabyte = 1'000'000'000;

inline trial_result make_trial(const trial_plan& plan, unsigned round, double seconds, double cpu) {
  trial_result trial;
  trial.plan = plan;
  trial.round = round;
  trial.plan.size = trial.bytes = gigabyte;
  trial.seconds_to_close = trial.seconds_to_disk = seconds;
  trial.cpu_whole = cpu;
  return trial;
}

/// A candidate with a trial of 1 GB in each round.
inline candidate entry(const trial_plan& plan, const std::vector<double>& seconds, double cpu = 0.5) {
  candidate entry{.plan = plan};
  for (const double one : seconds) {
    entry.trials.push_back(make_trial(plan, static_cast<unsigned>(entry.trials.size()), one, cpu));
  }
  return entry;
}

inline candidate entry(const std::string& method, const std::vector<double>& seconds, double cpu = 0.5) {
  return entry(trial_plan{.method = method}, seconds, cpu);
}

}  // namespace freshet::tool
