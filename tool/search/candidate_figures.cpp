#include "tool/search/candidate_figures.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace freshet::tool {
namespace {

constexpr std::size_t enough_to_pair = 2;  // rounds, before those that screened are ignored

double compute_median(const candidate& entry, double (trial_result::*figure)() const) {
  return median(collect(usable_samples(entry), figure));
}

}  // namespace

std::size_t count_usable(const candidate& entry) {
  return static_cast<std::size_t>(std::ranges::count_if(entry.trials, &trial_result::is_usable));
}

bool is_unmeasured(const candidate& entry) { return count_usable(entry) == 0 && entry.dropped.empty(); }

std::vector<const trial_result*> usable_samples(const candidate& entry) { return sort_trials(entry.trials).counted; }

std::vector<const trial_result*> samples_to_show(const candidate& entry) {
  std::vector<const trial_result*> chosen = usable_samples(entry);
  if (chosen.empty())
    for (const trial_result& trial : entry.trials) chosen.push_back(&trial);
  return chosen;
}

double seconds_per_gb(const candidate& entry) { return compute_median(entry, &trial_result::seconds_per_gb); }
double ranking_rate(const candidate& entry) { return 1e3 / seconds_per_gb(entry); }
double cpu_per_gb(const candidate& entry) { return compute_median(entry, &trial_result::cpu_per_gb); }

std::vector<trial_pair> find_shared_trials(const candidate& first, const candidate& second) {
  std::map<unsigned, const trial_result*> by_round;
  for (const trial_result& trial : first.trials)
    if (trial.is_usable()) by_round[trial.round] = &trial;
  std::vector<trial_pair> pairs;
  for (const trial_result& trial : second.trials) {
    const auto other = by_round.find(trial.round);
    if (!trial.is_usable() || other == by_round.end() || other->second->bytes != trial.bytes) continue;
    if (other->second->met_slow_memory != trial.met_slow_memory) continue;
    pairs.push_back({other->second, &trial});
  }
  keep_ranking(pairs, enough_to_pair, [](const trial_pair& pair) { return pair.first->screening; });
  keep_undisturbed(pairs,
                   [](const trial_pair& pair) { return pair.first->is_disturbed() || pair.second->is_disturbed(); });
  keep_one_size(pairs, [](const trial_pair& pair) { return pair.first->bytes; });
  return pairs;
}

}  // namespace freshet::tool
