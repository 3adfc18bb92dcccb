#include "tool/search/question.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include <freshet/error.hpp>

#include "tool/base/text.hpp"
#include "tool/search/answer.hpp"
#include "tool/search/reasons.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t ways_in_the_end = 3;  // beside what programs get by themselves
constexpr unsigned screening_rounds = 2;
constexpr double screening_share = 0.5;  // of the budget
constexpr std::array<unsigned, 3> rounds_of_baselines{0, screening_rounds, screening_rounds + 1};
// Times as long as the fastest that a way may take in the screening rounds. What disturbs a trial makes it longer, so
// the shortest time of each counts.
constexpr std::array<double, screening_rounds> most_times{3, 1.7};
constexpr unsigned longest_contest = 19;  // a planned look

double shortest_seconds_per_gb(const candidate& entry) {
  double shortest = std::numeric_limits<double>::infinity();
  for (const trial_result& trial : entry.trials)
    if (trial.is_usable()) shortest = std::min(shortest, trial.seconds_per_gb());
  return shortest;
}

// The way in files of the size, and of the class, that are asked about.
candidate enter_way(const question& asked, trial_plan plan, bool is_baseline) {
  plan.size = asked.size;
  plan.measured_class = asked.measured_class;
  return {.plan = std::move(plan), .is_baseline = is_baseline};
}

class contest {
 public:
  contest(const question& asked, const trial_source& source, budget& left)
      : asked_{asked}, rounds_{source, left, asked.seed, asked.expected, true} {
    for (const trial_plan& plan : asked.ways) candidates_.push_back(enter_way(asked, plan, false));
    for (const trial_plan& plan : asked.baselines) candidates_.push_back(enter_way(asked, plan, true));
  }

  contest(const question& asked, std::vector<candidate> so_far, const trial_source& source, budget& left)
      : asked_{asked}, rounds_{source, left, asked.seed, asked.expected}, candidates_{std::move(so_far)} {}

  race_result run() {
    return end_with([&] {
      if (screen()) rank();
    });
  }
  race_result go_on() {
    return end_with([&] { rank_again(); });
  }

 private:
  using places = std::vector<std::size_t>;

  // A failure that concerns all ways, such as a full disk, leaves what was found before.
  template <typename Work>
  race_result end_with(Work work) try {
    work();
    return {std::move(candidates_), rounds_.end()};
  } catch (const freshet::error& failure) {
    return {std::move(candidates_), race_end::failed, failure.what()};
  }

  bool screen();
  void rank();
  void rank_again();
  std::size_t readmit();
  void leave_out(double times, unsigned rounds);
  void choose_the_best();
  [[nodiscard]] places in_round(unsigned round) const;
  [[nodiscard]] bool is_answered() const;
  [[nodiscard]] bool stays(const candidate& entry) const;

  const question& asked_;
  round_runner rounds_;
  std::vector<candidate> candidates_;
};

// Those that have not left, and baselines in their rounds.
contest::places contest::in_round(unsigned round) const {
  places all(candidates_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const bool with_baselines = std::ranges::find(rounds_of_baselines, round) != rounds_of_baselines.end();
  std::erase_if(all, [&](std::size_t i) {
    return !candidates_[i].dropped.empty() || (candidates_[i].is_baseline && !with_baselines);
  });
  return all;
}

bool contest::screen() {
  const std::uint64_t size =
      rounds_.fitting_size(candidates_, in_round(0), screening_rounds, screening_share, asked_.size, asked_.least_size);
  for (unsigned round = 0; round < screening_rounds; ++round) {
    if (!rounds_.run_round(candidates_, in_round(round), size)) return false;
    leave_out(most_times.at(round), round + 1);
  }
  choose_the_best();
  return true;
}

// What programs get stays, whatever it takes: by themselves, and by what they use already.
bool contest::stays(const candidate& entry) const {
  return changes_method(entry.plan) || std::ranges::any_of(asked_.in_use, [&](const trial_plan& plan) {
           return enter_way(asked_, plan, false).plan == entry.plan;
         });
}

void contest::leave_out(double times, unsigned rounds) {
  double fastest = std::numeric_limits<double>::infinity();
  for (const candidate& entry : candidates_)
    if (!entry.is_baseline) fastest = std::min(fastest, shortest_seconds_per_gb(entry));
  for (candidate& entry : candidates_) {
    if (entry.is_baseline || !entry.dropped.empty() || stays(entry)) continue;
    if (count_usable(entry) == 0) {
      if (rounds == screening_rounds && !entry.trials.empty())
        entry.dropped = "no valid trial: " + first_reason(entry.trials.back());
      continue;
    }
    const double taken = shortest_seconds_per_gb(entry) / fastest;
    if (taken > times)
      entry.dropped = fmt::format("{:.2g} x the fastest's time in {}", taken, format_count(rounds, "round"));
  }
}

void contest::choose_the_best() {
  places by_speed = in_round(0);
  std::erase_if(by_speed, [&](std::size_t i) { return candidates_[i].is_baseline || stays(candidates_[i]); });
  std::ranges::sort(by_speed, {}, [&](std::size_t i) { return shortest_seconds_per_gb(candidates_[i]); });
  for (std::size_t place = ways_in_the_end; place < by_speed.size(); ++place)
    candidates_[by_speed[place]].dropped =
        fmt::format("not among the best {} after {} rounds", ways_in_the_end, screening_rounds);
}

void contest::rank() {
  const places chosen = in_round(longest_contest);
  const std::uint64_t size =
      rounds_.fitting_size(candidates_, chosen, rounds_to_decide, 1 - rounds_.spent(), asked_.size, asked_.least_size);
  rounds_.begin_ranking();
  for (unsigned round = 0; round < longest_contest; ++round) {
    if (!rounds_.run_round(candidates_, in_round(screening_rounds + round), size)) return;
    if (round + 1 >= rounds_to_decide && is_planned_look(round + 1) && is_answered()) return;
  }
}

// Lets those that left early take part again if they look faster than the pick. Returns the number of rounds so far.
std::size_t contest::readmit() {
  const class_verdict verdict = rank_candidates(asked_.measured_class, candidates_, asked_.negligible_share);
  for (const ranked_candidate& ranked : verdict.ranking)
    if (ranked.may_lead() && ranked.to_leader.ratio.value < 1) candidates_[ranked.index].dropped.clear();
  return verdict.ranking.empty() ? longest_contest : verdict.ranking.front().rate.count;
}

void contest::rank_again() {
  const std::size_t rounds_before = readmit();
  rounds_.go_on_after(candidates_);
  std::uint64_t size = 0;
  for (const candidate& entry : candidates_)
    if (entry.dropped.empty() && !entry.trials.empty()) size = std::max(size, entry.trials.back().plan.size);
  for (std::size_t round = rounds_before; round < longest_contest; ++round) {
    if (!rounds_.run_round(candidates_, in_round(longest_contest), size)) return;
    if (is_planned_look(round + 1) &&
        find_answer(rank_candidates(asked_.measured_class, candidates_, asked_.negligible_share)).is_sure)
      return;
  }
}

// Whether it is known if the best way is faster than what programs get, and that no other one is much faster.
bool contest::is_answered() const {
  const class_verdict verdict = rank_candidates(asked_.measured_class, candidates_, asked_.negligible_share);
  if (verdict.ranking.empty()) return true;
  if (verdict.state != verdict_state::alike && !(verdict.at_worst && *verdict.at_worst <= 1 + largest_regret))
    return false;
  const ranked_candidate* const by_themselves = verdict.find_by_themselves();
  if (by_themselves == nullptr) return true;
  const comparison& against = by_themselves->to_leader;  // above 1: programs would gain by the best way
  return against.result == outcome::worse || against.ratio.range.high <= 1 + asked_.negligible_share;
}

// Whether it is known if programs gain: it is decided, or no more is to be won than what matters.
bool is_known(const std::optional<comparison>& gain, double negligible_share) {
  return gain && (is_certain(*gain) || 1 / gain->ratio.range.low <= 1 + negligible_share);
}

// Programs with a profile beside programs by themselves.
class profile_contest {
 public:
  profile_contest(const question& asked, std::vector<candidate> so_far, const trial_source& source, budget& left)
      : asked_{asked}, rounds_{source, left, asked.seed, asked.expected}, candidates_{std::move(so_far)} {}

  race_result run(double share) {
    const std::size_t by_themselves = find(is_by_itself);
    if (by_themselves == candidates_.size()) return {std::move(candidates_), race_end::settled};
    try {
      compare(by_themselves, enter_profile(by_themselves), share);
      return {std::move(candidates_), rounds_.end()};
    } catch (const freshet::error& failure) {
      return {std::move(candidates_), race_end::failed, failure.what()};
    }
  }

 private:
  template <typename Predicate>
  [[nodiscard]] std::size_t find(Predicate wanted) const {
    const auto found = std::ranges::find_if(candidates_, [&](const candidate& entry) { return wanted(entry.plan); });
    return static_cast<std::size_t>(found - candidates_.begin());
  }

  std::size_t enter_profile(std::size_t by_themselves) {
    trial_plan plan = candidates_[by_themselves].plan;
    plan.prior = prior_state::profile;
    const std::size_t known = find([&](const trial_plan& each) { return each == plan; });
    if (known == candidates_.size()) candidates_.push_back({.plan = std::move(plan)});
    return known;
  }

  void compare(std::size_t by_themselves, std::size_t with_profile, double share) {
    const std::vector<std::size_t> both{by_themselves, with_profile};
    const auto samples = usable_samples(candidates_[by_themselves]);
    const std::uint64_t largest = samples.empty() ? asked_.size : samples.back()->plan.size;
    const std::uint64_t size =
        rounds_.fitting_size(candidates_, both, rounds_to_decide, share, largest, std::min(asked_.least_size, largest));
    rounds_.go_on_after(candidates_);
    for (std::size_t round = candidates_[with_profile].trials.size(); round < longest_contest; ++round) {
      if (!rounds_.run_round(candidates_, both, size)) return;
      if (round + 1 < rounds_to_decide || !is_planned_look(round + 1)) continue;
      const class_verdict verdict = rank_candidates(asked_.measured_class, candidates_, asked_.negligible_share);
      if (is_known(verdict.profile_gain, asked_.negligible_share)) return;
    }
  }

  const question& asked_;
  round_runner rounds_;
  std::vector<candidate> candidates_;
};

}  // namespace

race_result answer(const question& asked, const trial_source& source, budget& left) {
  return contest{asked, source, left}.run();
}

race_result settle(const question& asked, std::vector<candidate> candidates, const trial_source& source, budget& left) {
  return contest{asked, std::move(candidates), source, left}.go_on();
}

race_result compare_with_profile(const question& asked, std::vector<candidate> candidates, const trial_source& source,
                                 budget& left, double share) {
  return profile_contest{asked, std::move(candidates), source, left}.run(share);
}

std::vector<candidate> compare_in_size(const question& asked, std::span<const trial_plan> ways,
                                       const trial_source& source, budget& left) {
  std::vector<candidate> candidates;
  for (const trial_plan& plan : ways) candidates.push_back(enter_way(asked, plan, false));
  std::vector<std::size_t> all(candidates.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  round_runner rounds{source, left, asked.seed, asked.expected};
  for (unsigned round = 0; round < rounds_to_decide; ++round)
    if (!rounds.run_round(candidates, all, asked.size)) break;
  return candidates;
}

}  // namespace freshet::tool
