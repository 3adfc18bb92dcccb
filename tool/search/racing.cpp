#include "tool/search/racing.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include <fmt/core.h>

#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

using indices = std::vector<std::size_t>;

constexpr double first_stage_share = 0.3;      // of the budget: the aim for the rounds of all seeds
constexpr double second_stage_share = 0.5;     // of the budget: no other blocks are tried beyond it
constexpr unsigned first_rounds = 2;           // before a plan's speed means anything
constexpr double worth_refining = 1.25;        // times the best's seconds
constexpr std::size_t families_to_refine = 3;  // at most, because each takes several trials
constexpr std::size_t finalists = 4;
constexpr std::size_t least_finalists = 2;
constexpr std::size_t finalists_of_a_family = 2;
constexpr std::uint64_t quick_size = std::uint64_t{128} << 20;

bool may_win(const candidate& entry) { return entry.dropped.empty() && !entry.is_baseline; }

std::string explain_no_valid_trial(const candidate& entry) {
  const std::vector<std::string>& reasons = entry.trials.back().reasons;
  return "no valid trial" + (reasons.empty() ? std::string{} : ": " + reasons.front());
}

// Drops all that are shown to be slower than the leader, or have no valid trial.
void drop_slower(std::span<candidate> candidates, double negligible_share) {
  const std::size_t best = find_leader(candidates, negligible_share);
  const comparison_rules rules{negligible_share, estimate_noise(candidates)};
  for (candidate& entry : candidates) {
    if (!may_win(entry) || entry.trials.empty()) continue;
    if (count_usable(entry) == 0) {
      if (entry.trials.size() >= first_rounds) entry.dropped = explain_no_valid_trial(entry);
      continue;
    }
    if (best == candidates.size() || &entry == &candidates[best]) continue;
    const comparison against = compare(entry, candidates[best], rules);
    if (against.result != outcome::worse || !is_planned_look(against.ratio.count)) continue;
    entry.dropped =
        fmt::format("{:.2f} x the best's time in {}", against.ratio.value, format_count(against.ratio.count, "round"));
  }
}

// Whether all that are left are as fast as the leader.
bool is_settled(std::span<const candidate> candidates, double negligible_share) {
  const std::size_t best = find_leader(candidates, negligible_share);
  if (best == candidates.size()) return true;
  const comparison_rules rules{negligible_share, estimate_noise(candidates)};
  return std::ranges::all_of(candidates, [&](const candidate& entry) {
    if (&entry == &candidates[best] || !may_win(entry) || changes_method(entry.plan)) return true;
    return count_usable(entry) > 0 && compare(entry, candidates[best], rules).result == outcome::tie;
  });
}

class search {
 public:
  search(const race_setup& setup, std::span<const trial_plan> seeds, const trial_source& source, budget& left)
      : setup_{setup}, rounds_{source, left, setup.seed, setup.expected, true} {
    for (const trial_plan& plan : seeds) add(plan);
    for (const trial_plan& plan : setup.baselines) add(plan, true);
  }

  race_result run() {
    if (try_seeds() && refine()) run_final();
    return {std::move(candidates_), rounds_.end()};
  }

 private:
  bool try_seeds();
  bool refine();
  void run_final();

  void add(const trial_plan& plan, bool is_baseline = false);
  [[nodiscard]] indices remaining() const;
  [[nodiscard]] std::string family_of(const trial_plan& plan) const {
    return setup_.variations ? setup_.variations->family(plan) : plan.method;
  }
  void add_all(const std::vector<trial_plan>& plans) {
    for (const trial_plan& plan : plans) add(plan);
  }
  void add_blocks(trial_plan plan, unsigned factor);
  void add_depths_around(trial_plan plan);
  indices add_coarse_neighbours(std::size_t best);
  indices add_fine_neighbours(std::size_t best);
  [[nodiscard]] indices added_since(std::size_t first) const;
  [[nodiscard]] indices choose_finalists() const;

  const race_setup& setup_;
  round_runner rounds_;
  std::vector<candidate> candidates_;
  std::uint64_t quick_size_ = 0;
};

void search::add(const trial_plan& plan, bool is_baseline) {
  trial_plan full = plan;
  full.size = setup_.size;
  full.measured_class = setup_.measured_class;
  if (full.block * full.depth > setup_.largest_memory) return;
  if (std::ranges::find(candidates_, full, &candidate::plan) != candidates_.end()) return;
  candidates_.push_back({.plan = full, .is_baseline = is_baseline});
}

indices search::remaining() const {
  indices in;
  for (std::size_t i = 0; i < candidates_.size(); ++i)
    if (may_win(candidates_[i])) in.push_back(i);
  return in;
}

bool search::try_seeds() {
  const std::uint64_t full = std::min(setup_.size, std::max({setup_.size / 8, quick_size, setup_.least_size}));
  const indices all = added_since(0);
  quick_size_ = rounds_.fitting_size(candidates_, all, first_rounds, first_stage_share, full, setup_.least_size);
  for (unsigned round = 0; round < first_rounds; ++round) {
    if (!rounds_.run_round(candidates_, all, quick_size_)) return false;
    drop_slower(candidates_, setup_.negligible_share);
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

// Varies the best plan of each of the best methods within 25 % of the best; returns the new ones.
indices search::add_coarse_neighbours(std::size_t best) {
  std::map<std::string, std::size_t> best_of_family;
  for (const std::size_t i : remaining()) {
    if (changes_method(candidates_[i].plan) || count_usable(candidates_[i]) == 0 ||
        seconds_ratio(candidates_[i], candidates_[best]) > worth_refining)
      continue;
    const auto [place, first] = best_of_family.try_emplace(family_of(candidates_[i].plan), i);
    if (!first && seconds_ratio(candidates_[i], candidates_[place->second]) < 1) place->second = i;
  }
  indices refined;
  for (const auto& [family, i] : best_of_family) refined.push_back(i);
  std::ranges::sort(refined, {}, [&](std::size_t i) { return seconds_ratio(candidates_[i], candidates_[best]); });
  if (refined.size() > families_to_refine) refined.resize(families_to_refine);
  const std::size_t before = candidates_.size();
  for (const std::size_t i : refined) {
    const trial_plan plan = candidates_[i].plan;
    setup_.variations ? add_all(setup_.variations->coarse(plan)) : add_blocks(plan, 4);
  }
  return added_since(before);
}

// Adds the best plan with nearer blocks or, if it reads ahead, other depths; returns the new ones.
indices search::add_fine_neighbours(std::size_t best) {
  const std::size_t before = candidates_.size();
  const trial_plan plan = candidates_[best].plan;
  if (setup_.variations) {
    add_all(setup_.variations->fine(plan));
  } else {
    add_blocks(plan, 2);
    if (reads(setup_.measured_class)) add_depths_around(plan);
  }
  return added_since(before);
}

indices search::added_since(std::size_t first) const {
  indices all(candidates_.size() - first);
  std::iota(all.begin(), all.end(), first);
  return all;
}

bool search::refine() {
  for (bool coarse = true; rounds_.spent() < second_stage_share; coarse = false) {
    const std::size_t best = find_leader(candidates_, setup_.negligible_share);
    if (best == candidates_.size()) break;
    indices picked = coarse ? add_coarse_neighbours(best) : add_fine_neighbours(best);
    if (picked.empty() && !coarse) break;
    picked.push_back(best);  // the new ones are compared with it
    for (unsigned round = 0; round < first_rounds && picked.size() > 1; ++round) {
      if (!rounds_.run_round(candidates_, picked, quick_size_)) return false;
      drop_slower(candidates_, setup_.negligible_share);
    }
  }
  return true;
}

// Chooses the leader and those that look fastest beside it. How methods that use the page cache compare with those that
// bypass it depends on the size: so if only small files were written so far and all chosen are of one kind, the best of
// the other kind is chosen as well.
indices search::choose_finalists() const {
  const std::size_t leader = find_leader(candidates_, setup_.negligible_share);
  if (leader == candidates_.size()) return {};
  indices by_speed = added_since(0);
  std::erase_if(by_speed, [&](std::size_t i) {
    return count_usable(candidates_[i]) == 0 || candidates_[i].is_baseline || changes_method(candidates_[i].plan);
  });
  // Among plans that hardly differ, chance should not choose an unusual block.
  std::ranges::sort(by_speed, {}, [&](std::size_t i) {
    const double advantage = is_usual(candidates_[i].plan) ? 1 + setup_.negligible_share : 1;
    return i == leader ? 0 : seconds_ratio(candidates_[i], candidates_[leader]) / advantage;
  });
  indices chosen;
  std::map<std::string, std::size_t> of_family;
  for (const std::size_t i : by_speed)
    if (chosen.size() < finalists && may_win(candidates_[i]) &&
        of_family[family_of(candidates_[i].plan)]++ < finalists_of_a_family)
      chosen.push_back(i);
  if (quick_size_ == setup_.size) return chosen;
  const auto past_cache = [&](std::size_t i) { return setup_.past_cache.contains(candidates_[i].plan.method); };
  const auto of_another_kind = [&](std::size_t i) { return past_cache(i) != past_cache(leader); };
  if (std::ranges::any_of(chosen, of_another_kind)) return chosen;
  const auto other = std::ranges::find_if(by_speed, of_another_kind);
  if (other != by_speed.end()) chosen.push_back(*other);
  return chosen;
}

// Compares the best few until they are known to be alike, or the budget ends.
void search::run_final() {
  indices chosen = choose_finalists();
  // Methods that change are compared at full size, too: small files end before the change.
  for (const std::size_t i : added_since(0))
    if (!chosen.empty() && i != chosen.front() && changes_method(candidates_[i].plan) &&
        count_usable(candidates_[i]) > 0)
      chosen.push_back(i);
  // Fewer finalists with enough rounds are better than many that are not told apart.
  while (chosen.size() > least_finalists && !rounds_.fits(candidates_, chosen, rounds_to_decide + 1, quick_size_))
    chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(least_finalists));
  for (const std::size_t i : remaining())
    if (std::ranges::find(chosen, i) == chosen.end())
      candidates_[i].dropped = "not among the best after the first rounds";
  for (const std::size_t i : chosen) candidates_[i].dropped.clear();
  // Enough rounds of smaller files are better than too few to decide; and larger ones take longer to remove, too.
  const std::uint64_t size =
      rounds_.fitting_size(candidates_, chosen, rounds_to_decide + 3, 1 - rounds_.spent(), setup_.size, quick_size_);
  rounds_.begin_ranking();
  for (unsigned round = 0; !chosen.empty() && rounds_.run_round(candidates_, chosen, size); ++round) {
    if (round > 0) drop_slower(candidates_, setup_.negligible_share);  // a single round does not outweigh those before
    if (round + 1 >= rounds_to_decide && is_settled(candidates_, setup_.negligible_share)) return;
  }
}

}  // namespace

race_result race(const race_setup& setup, std::span<const trial_plan> seeds, const trial_source& source, budget& left) {
  return search{setup, seeds, source, left}.run();
}

}  // namespace freshet::tool
