#include "tool/search/racing.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include <fmt/core.h>

namespace freshet::tool {

namespace {

using indices = std::vector<std::size_t>;

constexpr double first_stage_share = 0.3;     // of the allowance: aimed at, for the rounds of all seeds
constexpr double second_stage_share = 0.75;   // no other blocks are tried beyond
constexpr unsigned first_looks = 2;           // rounds that a plan gets before its speed means anything
constexpr double unlucky = 2.5;               // times the best's seconds, that a single trial may take by bad luck
constexpr double worth_refining = 1.25;       // times the best's seconds
constexpr std::size_t methods_to_refine = 3;  // at most, for each takes several trials
constexpr std::size_t finalists = 3;
constexpr std::size_t finalists_of_a_method = 2;
constexpr unsigned least_final_rounds = 3;
constexpr std::uint64_t quick_size = std::uint64_t{256} << 20;
constexpr unsigned deepest = 64;

/// How much slower than the leader a plan must surely be to leave, after so many shared rounds. One trial may have had
/// bad luck (memory that the machine had to fetch first): `after_one` says how much of it.
double limit(std::size_t rounds, double after_one) {
  if (rounds <= 1) return after_one;
  return rounds == 2 ? std::min(1.5, after_one) : near_enough;
}

class search {
 public:
  search(const race_setup& setup, std::span<const trial_plan> seeds, const trial_source& on, budget& left)
      : setup_{setup}, rounds_{on, left, setup.seed, setup.seconds_per_byte} {
    for (const trial_plan& plan : seeds) enter(plan);
  }

  race_result run() {
    if (look_at_seeds() && refine()) run_final();
    return {std::move(field_), rounds_.end()};
  }

 private:
  bool look_at_seeds();
  bool refine();
  void run_final();
  bool run_heat(const indices& chosen, std::uint64_t size);

  void enter(const trial_plan& plan);
  [[nodiscard]] indices runners() const;
  void enter_blocks(trial_plan plan, unsigned factor);
  void enter_depths(trial_plan plan);
  indices enter_coarse_neighbours(std::size_t best);
  indices enter_fine_neighbours(std::size_t best);
  [[nodiscard]] indices from(std::size_t first) const;
  [[nodiscard]] indices choose_finalists() const;
  [[nodiscard]] indices choose_challengers() const;
  void drop_losers(std::span<candidate> field, double after_one) const;
  [[nodiscard]] bool settled(std::span<candidate> field) const;

  const race_setup& setup_;
  round_runner rounds_;
  std::vector<candidate> field_;
  std::set<std::size_t> met_;  // who has been in a heat of the final
  std::uint64_t quick_size_ = 0;
};

void search::enter(const trial_plan& plan) {
  trial_plan full = plan;
  full.size = setup_.size;
  full.what = setup_.what;
  if (full.block * full.depth > setup_.largest_memory) return;
  if (std::ranges::find(field_, full, &candidate::plan) != field_.end()) return;
  field_.push_back({.plan = full});
}

indices search::runners() const {
  indices in;
  for (std::size_t i = 0; i < field_.size(); ++i) {
    if (field_[i].dropped.empty()) in.push_back(i);
  }
  return in;
}

bool search::look_at_seeds() {
  const std::uint64_t full = std::min(setup_.size, std::max(setup_.size / 4, quick_size));
  quick_size_ = rounds_.fitting_size(field_, runners(), first_looks, first_stage_share, full, setup_.least_size);
  for (unsigned look = 0; look < first_looks; ++look) {
    if (!rounds_.run_round(field_, runners(), quick_size_)) return false;
    drop_losers(field_, unlucky);
  }
  return true;
}

/// Enters the plan with its block times and divided by `factor`.
void search::enter_blocks(trial_plan plan, unsigned factor) {
  const std::size_t block = plan.block;
  plan.block = block * factor;
  if (plan.block <= setup_.largest_block) enter(plan);
  plan.block = block / factor;
  if (plan.block >= setup_.smallest_block) enter(plan);
}

/// Enters the plan with its depth times and divided by two; not where it has one block, as synchronous methods do.
void search::enter_depths(trial_plan plan) {
  const unsigned depth = plan.depth;
  if (depth <= 1) return;
  plan.depth = depth * 2;
  if (plan.depth <= deepest) enter(plan);
  plan.depth = depth / 2;
  if (plan.depth > 1) enter(plan);
}

/// Enters other blocks for the best plan of the best methods within 25 % of the best; returns who is new.
indices search::enter_coarse_neighbours(std::size_t best) {
  std::map<std::string, std::size_t> best_of_method;
  for (const std::size_t i : runners()) {
    if (valid_trials(field_[i]) == 0 || ratio(field_[i], field_[best]) > worth_refining) continue;
    const auto [place, first] = best_of_method.try_emplace(field_[i].plan.method, i);
    if (!first && ratio(field_[i], field_[place->second]) < 1) place->second = i;
  }
  indices refined;
  for (const auto& [method, i] : best_of_method) refined.push_back(i);
  std::ranges::sort(refined, {}, [&](std::size_t i) { return ratio(field_[i], field_[best]); });
  if (refined.size() > methods_to_refine) refined.resize(methods_to_refine);
  const std::size_t before = field_.size();
  for (const std::size_t i : refined) enter_blocks(field_[i].plan, 4);
  return from(before);
}

/// Enters the best plan with nearer blocks and with space set aside (or not), or other depths; returns who is new.
indices search::enter_fine_neighbours(std::size_t best) {
  const std::size_t before = field_.size();
  trial_plan plan = field_[best].plan;
  enter_blocks(plan, 2);
  if (reads(setup_.what)) {
    enter_depths(plan);
  } else {
    plan.reserve = !plan.reserve;
    enter(plan);
  }
  return from(before);
}

indices search::from(std::size_t first) const {
  indices all(field_.size() - first);
  std::iota(all.begin(), all.end(), first);
  return all;
}

bool search::refine() {
  for (bool coarse = true; rounds_.spent() < second_stage_share; coarse = false) {
    const std::size_t best = leader(field_, setup_.seed);
    if (best == field_.size()) break;
    indices picked = coarse ? enter_coarse_neighbours(best) : enter_fine_neighbours(best);
    if (picked.empty() && !coarse) break;
    picked.push_back(best);  // whom the newcomers are compared with
    for (unsigned look = 0; look < first_looks && picked.size() > 1; ++look) {
      if (!rounds_.run_round(field_, picked, quick_size_)) return false;
      drop_losers(field_, worth_refining);
    }
  }
  return true;
}

/// The leader, the leader of the others, and so on; and where only small files were written so far, the best of those
/// that use the page cache or of those that do not, if none is among them: how the two compare depends on the size.
indices search::choose_finalists() const {
  std::vector<candidate> rest = field_;
  indices chosen;
  const auto choose_leader = [&] {
    const std::size_t next = leader(rest, setup_.seed);
    if (next == rest.size() || !rest[next].dropped.empty()) return false;
    chosen.push_back(next);
    rest[next].dropped = "chosen";
    return true;
  };
  std::map<std::string, std::size_t> of_method;
  while (chosen.size() < finalists && choose_leader()) {
    const std::string& method = field_[chosen.back()].plan.method;
    if (++of_method[method] < finalists_of_a_method) continue;
    for (candidate& who : rest) {
      if (who.plan.method == method) who.dropped = "enough of this method";
    }
  }
  const auto past_cache = [&](const candidate& who) { return setup_.past_cache.contains(who.plan.method); };
  const auto of_the_first_kind = [&](const candidate& who) {
    return past_cache(who) == past_cache(field_[chosen.front()]);
  };
  if (quick_size_ == setup_.size || chosen.empty()) return chosen;
  if (!std::ranges::all_of(chosen, [&](std::size_t i) { return of_the_first_kind(field_[i]); })) return chosen;
  for (candidate& who : rest) who.dropped = of_the_first_kind(who) || valid_trials(who) == 0 ? "not asked for" : "";
  choose_leader();
  return chosen;
}

/// The final's winner so far, and the best two of those near to it who have not been in the final yet; empty where
/// there are none.
indices search::choose_challengers() const {
  std::vector<candidate> met = field_;
  indices open;
  for (const std::size_t i : runners()) {
    if (met_.contains(i)) continue;
    met[i].dropped = "not met yet";
    if (valid_trials(field_[i]) > 0) open.push_back(i);
  }
  const std::size_t best = leader(met, setup_.seed);
  if (best == met.size()) return {};
  std::erase_if(open, [&](std::size_t i) { return ratio(field_[i], field_[best]) > worth_refining; });
  if (open.empty()) return {};
  std::ranges::sort(open, {}, [&](std::size_t i) { return ratio(field_[i], field_[best]); });
  open.resize(std::min(open.size(), finalists - 1));
  open.push_back(best);
  return open;
}

/// The best few first; while there is time, whoever else may be as good.
void search::run_final() {
  indices chosen = choose_finalists();
  // Rather enough rounds of smaller files than too few to decide.
  const std::uint64_t size =
      rounds_.fitting_size(field_, chosen, rounds_to_decide, 1 - rounds_.spent(), setup_.size, quick_size_);
  while (!chosen.empty() && run_heat(chosen, size)) chosen = choose_challengers();
  for (const std::size_t i : runners()) {
    if (!met_.contains(i)) field_[i].dropped = "not among the best after the first rounds";
  }
}

/// Runs rounds of the chosen until it is settled who of them wins; false where the allowance ends it.
bool search::run_heat(const indices& chosen, std::uint64_t size) {
  // Without their trials so far: these flatter, since they were chosen for them.
  std::vector<candidate> heat;
  for (const std::size_t i : chosen) heat.push_back({.plan = field_[i].plan});
  indices all(chosen.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const bool first_heat = met_.empty();
  bool complete = true;
  for (unsigned rounds = 0; complete && (rounds < least_final_rounds || !settled(heat)); ++rounds) {
    complete = rounds_.run_round(heat, all, size);
    if (complete) drop_losers(heat, unlucky);
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    candidate& who = field_[chosen[i]];
    who.trials.insert(who.trials.end(), heat[i].trials.begin(), heat[i].trials.end());
    // Whoever was called in too late for a verdict leaves the winner in its place.
    if (!complete && !first_heat && heat[i].trials.size() < least_final_rounds) continue;
    who.dropped = heat[i].dropped;
    met_.insert(chosen[i]);
  }
  return complete;
}

void search::drop_losers(std::span<candidate> field, double after_one) const {
  const std::size_t best = leader(field, setup_.seed);
  for (candidate& who : field) {
    if (!who.dropped.empty() || who.trials.empty()) continue;
    if (valid_trials(who) == 0) {
      if (who.trials.size() >= first_looks) {
        const std::vector<std::string>& reasons = who.trials.back().reasons;
        who.dropped = "no valid trial" + (reasons.empty() ? std::string{} : ": " + reasons.front());
      }
      continue;
    }
    if (best == field.size() || &who == &field[best]) continue;
    const comparison made = compare(who, field[best], setup_.seed);
    if (made.result != outcome::worse && made.ratio.range.low <= limit(made.ratio.count, after_one)) continue;
    who.dropped = fmt::format("{:.2f} x the best's time in {} round{}", made.ratio.value, made.ratio.count,
                              made.ratio.count == 1 ? "" : "s");
  }
}

/// Whether all who are left tie with the leader.
bool search::settled(std::span<candidate> field) const {
  const std::size_t best = leader(field, setup_.seed);
  if (best == field.size()) return true;
  return std::ranges::all_of(field, [&](const candidate& who) {
    if (&who == &field[best] || !who.dropped.empty()) return true;
    return valid_trials(who) > 0 && compare(who, field[best], setup_.seed).result == outcome::tie;
  });
}

/// The plan, and where it reads ahead, all depths that a race may come to.
void add_depths(std::vector<trial_plan>& plans, trial_plan plan, std::size_t largest_memory) {
  if (plan.depth <= 1) return plans.push_back(plan);
  for (plan.depth = 2; plan.depth <= deepest && plan.block * plan.depth <= largest_memory; plan.depth *= 2) {
    plans.push_back(plan);
  }
}

}  // namespace

race_result race(const race_setup& setup, std::span<const trial_plan> seeds, const trial_source& on, budget& left) {
  return search{setup, seeds, on, left}.run();
}

std::vector<trial_plan> reachable_plans(const race_setup& setup, std::span<const trial_plan> seeds) {
  std::vector<trial_plan> plans;
  for (trial_plan plan : seeds) {
    plan.size = setup.size;
    plan.what = setup.what;
    for (plan.block = setup.smallest_block; plan.block <= setup.largest_block; plan.block *= 2) {
      if (reads(setup.what)) {
        add_depths(plans, plan, setup.largest_memory);
      } else {
        for (const bool reserve : {false, true}) {
          plan.reserve = reserve;
          plans.push_back(plan);
        }
      }
    }
  }
  return plans;
}

}  // namespace freshet::tool
