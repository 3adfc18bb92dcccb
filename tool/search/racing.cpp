#include "tool/search/racing.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/core.h>

#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

using indices = std::vector<std::size_t>;

constexpr double first_stage_share = 0.3;     // of the budget: the aim for the rounds of all seeds
constexpr double second_stage_share = 0.75;   // of the budget: no other blocks are tried beyond it
constexpr unsigned first_rounds = 2;          // before a plan's speed means anything
constexpr double worth_refining = 1.25;       // times the best's seconds
constexpr std::size_t methods_to_refine = 3;  // at most, because each takes several trials
constexpr std::size_t finalists = 3;
constexpr std::size_t finalists_of_a_method = 2;
constexpr unsigned least_final_rounds = 3;
constexpr std::uint64_t quick_size = std::uint64_t{256} << 20;

// How much slower than the leader a candidate must surely be, after so many shared rounds, to be dropped. A single
// trial may have had bad luck (memory that the machine had to fetch first), so `after_one` is more generous.
double drop_limit(std::size_t rounds, double after_one) {
  if (rounds <= 1) return after_one;
  return rounds == 2 ? std::min(clear_after_two, after_one) : near_enough;
}

// Drops all that are clearly slower than the leader, or have no valid trial.
void drop_slower(std::span<candidate> candidates, double after_one) {
  const std::size_t best = find_leader(candidates);
  for (candidate& entry : candidates) {
    if (!entry.dropped.empty() || entry.trials.empty()) continue;
    if (count_usable(entry) == 0) {
      if (entry.trials.size() >= first_rounds) {
        const std::vector<std::string>& reasons = entry.trials.back().reasons;
        entry.dropped = "no valid trial" + (reasons.empty() ? std::string{} : ": " + reasons.front());
      }
      continue;
    }
    if (best == candidates.size() || &entry == &candidates[best]) continue;
    const comparison result = compare(entry, candidates[best]);
    if (result.result != outcome::worse && result.ratio.range.low <= drop_limit(result.ratio.count, after_one))
      continue;
    entry.dropped =
        fmt::format("{:.2f} x the best's time in {}", result.ratio.value, format_count(result.ratio.count, "round"));
  }
}

// Whether all that are left tie with the leader.
bool is_settled(std::span<const candidate> candidates) {
  const std::size_t best = find_leader(candidates);
  if (best == candidates.size()) return true;
  return std::ranges::all_of(candidates, [&](const candidate& entry) {
    if (&entry == &candidates[best] || !entry.dropped.empty()) return true;
    return count_usable(entry) > 0 && compare(entry, candidates[best]).result == outcome::tie;
  });
}

class search {
 public:
  search(const race_setup& setup, std::span<const trial_plan> seeds, const trial_source& source, budget& left)
      : setup_{setup}, rounds_{source, left, setup.seed, setup.seconds_per_byte} {
    for (const trial_plan& plan : seeds) add(plan);
  }

  race_result run() {
    if (try_seeds() && refine()) run_final();
    return {std::move(candidates_), rounds_.end()};
  }

 private:
  bool try_seeds();
  bool refine();
  void run_final();
  bool run_final_round(const indices& chosen, std::uint64_t size);

  void add(const trial_plan& plan);
  [[nodiscard]] indices remaining() const;
  void add_blocks(trial_plan plan, unsigned factor);
  void add_depths_around(trial_plan plan);
  indices add_coarse_neighbours(std::size_t best);
  indices add_fine_neighbours(std::size_t best);
  [[nodiscard]] indices added_since(std::size_t first) const;
  [[nodiscard]] indices choose_finalists() const;
  [[nodiscard]] indices choose_challengers() const;

  const race_setup& setup_;
  round_runner rounds_;
  std::vector<candidate> candidates_;
  std::set<std::size_t> finalists_;  // indices of the candidates that took part in the final
  std::uint64_t quick_size_ = 0;
};

void search::add(const trial_plan& plan) {
  trial_plan full = plan;
  full.size = setup_.size;
  full.measured_class = setup_.measured_class;
  if (full.block * full.depth > setup_.largest_memory) return;
  if (std::ranges::find(candidates_, full, &candidate::plan) != candidates_.end()) return;
  candidates_.push_back({.plan = full});
}

indices search::remaining() const {
  indices in;
  for (std::size_t i = 0; i < candidates_.size(); ++i)
    if (candidates_[i].dropped.empty()) in.push_back(i);
  return in;
}

bool search::try_seeds() {
  const std::uint64_t full = std::min(setup_.size, std::max(setup_.size / 4, quick_size));
  quick_size_ =
      rounds_.fitting_size(candidates_, remaining(), first_rounds, first_stage_share, full, setup_.least_size);
  for (unsigned round = 0; round < first_rounds; ++round) {
    if (!rounds_.run_round(candidates_, remaining(), quick_size_)) return false;
    drop_slower(candidates_, clear_after_one);
  }
  return true;
}

// Adds the plan with its block multiplied and divided by `factor`.
void search::add_blocks(trial_plan plan, unsigned factor) {
  const std::size_t block = plan.block;
  plan.block = block * factor;
  if (plan.block <= setup_.largest_block) add(plan);
  plan.block = block / factor;
  if (plan.block >= setup_.smallest_block) add(plan);
}

// Adds the plan with its depth doubled and halved, unless it has a single block, as synchronous methods do.
void search::add_depths_around(trial_plan plan) {
  const unsigned depth = plan.depth;
  if (depth <= 1) return;
  plan.depth = depth * 2;
  if (plan.depth <= setup_.largest_depth) add(plan);
  plan.depth = depth / 2;
  if (plan.depth > 1) add(plan);
}

// Adds other blocks for the best plan of each of the best methods within 25 % of the best; returns the new ones.
indices search::add_coarse_neighbours(std::size_t best) {
  std::map<std::string, std::size_t> best_of_method;
  for (const std::size_t i : remaining()) {
    if (count_usable(candidates_[i]) == 0 || seconds_ratio(candidates_[i], candidates_[best]) > worth_refining)
      continue;
    const auto [place, first] = best_of_method.try_emplace(candidates_[i].plan.method, i);
    if (!first && seconds_ratio(candidates_[i], candidates_[place->second]) < 1) place->second = i;
  }
  indices refined;
  for (const auto& [method, i] : best_of_method) refined.push_back(i);
  std::ranges::sort(refined, {}, [&](std::size_t i) { return seconds_ratio(candidates_[i], candidates_[best]); });
  if (refined.size() > methods_to_refine) refined.resize(methods_to_refine);
  const std::size_t before = candidates_.size();
  for (const std::size_t i : refined) add_blocks(candidates_[i].plan, 4);
  return added_since(before);
}

// Adds the best plan with nearer blocks or, if it reads ahead, other depths; returns the new ones.
indices search::add_fine_neighbours(std::size_t best) {
  const std::size_t before = candidates_.size();
  trial_plan plan = candidates_[best].plan;
  add_blocks(plan, 2);
  if (reads(setup_.measured_class)) add_depths_around(plan);
  return added_since(before);
}

indices search::added_since(std::size_t first) const {
  indices all(candidates_.size() - first);
  std::iota(all.begin(), all.end(), first);
  return all;
}

bool search::refine() {
  for (bool coarse = true; rounds_.spent() < second_stage_share; coarse = false) {
    const std::size_t best = find_leader(candidates_);
    if (best == candidates_.size()) break;
    indices picked = coarse ? add_coarse_neighbours(best) : add_fine_neighbours(best);
    if (picked.empty() && !coarse) break;
    picked.push_back(best);  // the new ones are compared with it
    for (unsigned round = 0; round < first_rounds && picked.size() > 1; ++round) {
      if (!rounds_.run_round(candidates_, picked, quick_size_)) return false;
      drop_slower(candidates_, worth_refining);
    }
  }
  return true;
}

// Chooses the leader, the leader of the others, and so on. How methods that use the page cache compare with those that
// bypass it depends on the size: so if only small files were written so far and all chosen are of one kind, the best of
// the other kind is chosen as well.
indices search::choose_finalists() const {
  std::vector<candidate> rest = candidates_;
  indices chosen;
  const auto choose_leader = [&] {
    const std::size_t next = find_leader(rest);
    if (next == rest.size() || !rest[next].dropped.empty()) return false;
    chosen.push_back(next);
    rest[next].dropped = "chosen";
    return true;
  };
  std::map<std::string, std::size_t> of_method;
  while (chosen.size() < finalists && choose_leader()) {
    const std::string& method = candidates_[chosen.back()].plan.method;
    if (++of_method[method] < finalists_of_a_method) continue;
    for (candidate& entry : rest)
      if (entry.plan.method == method) entry.dropped = "enough of this method";
  }
  const auto past_cache = [&](const candidate& entry) { return setup_.past_cache.contains(entry.plan.method); };
  const auto of_the_first_kind = [&](const candidate& entry) {
    return past_cache(entry) == past_cache(candidates_[chosen.front()]);
  };
  if (quick_size_ == setup_.size || chosen.empty()) return chosen;
  if (!std::ranges::all_of(chosen, [&](std::size_t i) { return of_the_first_kind(candidates_[i]); })) return chosen;
  for (candidate& entry : rest)
    entry.dropped = of_the_first_kind(entry) || count_usable(entry) == 0 ? "not asked for" : "";
  choose_leader();
  return chosen;
}

// Returns the best two candidates near the final's winner that have not been in the final yet, and that winner; empty
// if there are none.
indices search::choose_challengers() const {
  std::vector<candidate> compared = candidates_;
  indices open;
  for (const std::size_t i : remaining()) {
    if (finalists_.contains(i)) continue;
    compared[i].dropped = "not compared yet";
    if (count_usable(candidates_[i]) > 0) open.push_back(i);
  }
  const std::size_t best = find_leader(compared);
  if (best == compared.size()) return {};
  std::erase_if(open, [&](std::size_t i) { return seconds_ratio(candidates_[i], candidates_[best]) > worth_refining; });
  if (open.empty()) return {};
  std::ranges::sort(open, {}, [&](std::size_t i) { return seconds_ratio(candidates_[i], candidates_[best]); });
  open.resize(std::min(open.size(), finalists - 1));
  open.push_back(best);
  return open;
}

// Compares the best few first, then, while there is time, others that may be as good.
void search::run_final() {
  indices chosen = choose_finalists();
  // Enough rounds of smaller files are better than too few to decide.
  const std::uint64_t size =
      rounds_.fitting_size(candidates_, chosen, rounds_to_decide, 1 - rounds_.spent(), setup_.size, quick_size_);
  while (!chosen.empty() && run_final_round(chosen, size)) chosen = choose_challengers();
  for (const std::size_t i : remaining())
    if (!finalists_.contains(i)) candidates_[i].dropped = "not among the best after the first rounds";
}

// Runs rounds of the chosen candidates until it is settled which of them wins; returns false if the budget ends first.
bool search::run_final_round(const indices& chosen, std::uint64_t size) {
  // Earlier trials flatter the chosen ones, which were chosen because of them: so they do not count here.
  std::vector<candidate> final_candidates;
  for (const std::size_t i : chosen) final_candidates.push_back({.plan = candidates_[i].plan});
  indices all(chosen.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const bool first_time = finalists_.empty();
  bool complete = true;
  for (unsigned rounds = 0; complete && (rounds < least_final_rounds || !is_settled(final_candidates)); ++rounds) {
    complete = rounds_.run_round(final_candidates, all, size);
    if (complete) drop_slower(final_candidates, clear_after_one);
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    candidate& entry = candidates_[chosen[i]];
    const candidate& latest = final_candidates[i];
    entry.trials.insert(entry.trials.end(), latest.trials.begin(), latest.trials.end());
    // A challenger that came too late for a verdict does not displace the winner.
    if (!complete && !first_time && latest.trials.size() < least_final_rounds) continue;
    entry.dropped = latest.dropped;
    finalists_.insert(chosen[i]);
  }
  return complete;
}

}  // namespace

race_result race(const race_setup& setup, std::span<const trial_plan> seeds, const trial_source& source, budget& left) {
  return search{setup, seeds, source, left}.run();
}

}  // namespace freshet::tool
