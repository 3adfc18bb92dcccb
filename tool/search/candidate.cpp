#include "tool/search/candidate.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace freshet::tool {
namespace {

constexpr std::size_t enough_of_one_size = 3;  // trials, before those of other sizes are ignored
constexpr std::size_t enough_to_pair = 2;      // rounds, before those that screened are ignored

// Leaves those of the largest size that at least enough_of_one_size of them have, if there is one.
template <typename Item, typename Size>
void keep_one_size(std::vector<Item>& items, Size size_of) {
  std::map<std::uint64_t, std::size_t, std::greater<>> count;
  for (const Item& item : items) ++count[size_of(item)];
  const auto common = std::ranges::find_if(count, [](const auto& each) { return each.second >= enough_of_one_size; });
  if (common == count.end()) return;
  std::erase_if(items, [&](const Item& item) { return size_of(item) != common->first; });
}

// Leaves those that do not screen, if there are at least `enough` of them.
template <typename Item, typename Screens>
void keep_ranking(std::vector<Item>& items, std::size_t enough, Screens screens) {
  const auto screening = static_cast<std::size_t>(std::ranges::count_if(items, screens));
  if (items.size() - screening >= enough) std::erase_if(items, screens);
}

double compute_median(const candidate& entry, double (trial_result::*figure)() const) {
  return median(collect(usable_samples(entry), figure));
}

}  // namespace

std::size_t count_usable(const candidate& entry) {
  return static_cast<std::size_t>(std::ranges::count_if(entry.trials, &trial_result::is_usable));
}

bool is_unmeasured(const candidate& entry) { return count_usable(entry) == 0 && entry.dropped.empty(); }

std::vector<const trial_result*> usable_samples(const candidate& entry) {
  std::vector<const trial_result*> samples;
  for (const trial_result& trial : entry.trials)
    if (trial.is_usable()) samples.push_back(&trial);
  keep_ranking(samples, 1, [](const trial_result* trial) { return trial->screening; });
  keep_undisturbed(samples, [](const trial_result* trial) { return trial->is_disturbed(); });
  keep_one_size(samples, [](const trial_result* trial) { return trial->bytes; });
  return samples;
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
