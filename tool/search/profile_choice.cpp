#include "tool/search/profile_choice.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "tool/base/text.hpp"
#include "tool/search/way_figures.hpp"

namespace freshet::tool {
namespace {

std::string describe_unknown(const class_answer& answer) {
  if (answer.is_sure) return {};
  std::size_t rounds = answer.best->rate.count;
  if (answer.profile_gain) rounds = std::min(rounds, answer.profile_gain->ratio.count);
  return rounds < rounds_to_decide ? "only " + format_count(rounds, "round") : "not settled";
}

// Calls `use` with what a profile has for the class, if anything: settings for reading or for writing.
decltype(auto) with_settings(auto& entry, io_class measured_class, auto use) {
  if (measured_class == io_class::cold) return use(entry.cold);
  if (measured_class == io_class::warm) return use(entry.warm);
  return use(entry.winners.at(static_cast<std::size_t>(durability_of(measured_class))));
}

// The old way of a class, if there is one, as a plan without blocks that were not named.
std::optional<trial_plan> find_old(const file_system_profile& old, io_class measured_class) {
  return with_settings(old, measured_class, [](const auto& settings) -> std::optional<trial_plan> {
    if (!settings) return {};
    return trial_plan{.method = settings->method, .block = settings->block, .depth = settings->depth};
  });
}

bool is_settled(const file_system_profile& old, io_class measured_class) {
  return with_settings(old, measured_class,
                       [](const auto& settings) { return settings && settings->provisional.empty(); });
}

bool is_refined(const class_result& of) { return of.refined && !of.refined->verdict.ranking.empty(); }

// Whether the trials show that programs lose by the old way: it is slower than what they get by themselves, or is the
// best one, and they are slower with a profile of it.
bool is_shown_slower(const class_result& result, const trial_plan& old) {
  const class_answer answer = find_answer(result);
  if (answer.by_themselves == nullptr) return false;
  const auto is_old = [&](const ranked_candidate& ranked) {
    return ranked.plan.method == old.method && (old.block == 0 || ranked.plan.block == old.block) &&
           (old.depth == 0 || ranked.plan.depth == old.depth);
  };
  const auto is_slower = [](const comparison& against) {
    return against.result == outcome::worse && is_certain(against);
  };
  const auto found = std::ranges::find_if(result.verdict.ranking, is_old);
  if (found == result.verdict.ranking.end() || &*found == answer.by_themselves) return false;
  if (&*found == answer.best && answer.profile_gain && is_slower(*answer.profile_gain)) return true;
  return is_slower(compare(result.candidates[found->index], result.candidates[answer.by_themselves->index],
                           {result.verdict.negligible_share, estimate_noise(result.candidates)}));
}

// The figures of the class, and those of its best way with the blocks that the profile will name.
measured_ways measure_ways(const class_result& of) {
  measured_ways ways = measure_ways(of.verdict, of.candidates);
  if (!is_refined(of)) return ways;
  const measured_ways refined = measure_ways(of.refined->verdict, of.refined->candidates);
  if (refined.past.seconds_per_byte == 0) return ways;
  ways.past = refined.past;
  ways.block = refined.block;
  ways.depth = refined.depth;
  return ways;
}

const ranked_candidate& find_best_way(const class_result& of) {
  return is_refined(of) ? of.refined->verdict.ranking.front() : of.verdict.ranking.front();
}

void set_way(file_system_profile& entry, const class_result& of, const std::string& unknown) {
  const ranked_candidate& best = find_best_way(of);
  entry.size = std::max(entry.size, best.size);
  with_settings(entry, of.verdict.measured_class, [&](auto& settings) {
    const bool is_fixed = settings && settings->fixed;
    settings.emplace();
    settings->method = best.plan.method;
    settings->block = best.plan.block;
    settings->depth = best.plan.depth;
    settings->provisional = unknown;
    settings->fixed = is_fixed;
    settings->measured = measure_ways(of);
  });
}

// What the first file of a program will reach, predicted of the profile, or of these blocks, which others may have
// replaced since.
void set_expectation(file_system_profile& entry, const class_result& of) {
  if (!of.next_file || reads(of.verdict.measured_class)) return;
  write_settings& way = *entry.winners.at(static_cast<std::size_t>(durability_of(of.verdict.measured_class)));
  const trial_plan& plan = of.next_file->plan;
  const bool is_of_way = plan.method == way.method && plan.block == way.block && plan.depth == way.depth;
  if (plan.prior == prior_state::profile || is_of_way) way.slowest_expected = std::round(of.next_file->rates.low);
}

void remove_way(file_system_profile& entry, io_class measured_class) {
  with_settings(entry, measured_class, [](auto& settings) { settings.reset(); });
}

// Whether there are new ones: what is not sure replaces none.
bool renew_figures(file_system_profile& entry, const class_result& of) {
  const measured_ways ways = measure_ways(of);
  if (!find_answer(of).is_sure || ways == measured_ways{.block = ways.block, .depth = ways.depth}) return false;
  with_settings(entry, of.verdict.measured_class, [&](auto& settings) { settings->measured = ways; });
  return true;
}

}  // namespace

profile_choice choose_for_profile(const class_result& result) {
  const class_answer answer = find_answer(result);
  if (answer.what != advice::profile) return {};
  return {&find_best_way(result), describe_unknown(answer)};
}

void name_best_way(file_system_profile& entry, const class_result& result) { set_way(entry, result, {}); }

void keep_fixed(file_system_profile& entry, io_class measured_class) {
  with_settings(entry, measured_class, [](auto& settings) { settings.emplace().fixed = true; });
}

profile_change change_profile(const tuning& result, const file_system_profile& old) {
  profile_change change{.entry = {}};
  change.entry.winners = old.winners;
  change.entry.cold = old.cold;
  change.entry.warm = old.warm;
  for (const class_result& each : result.classes) {
    const io_class measured_class = each.verdict.measured_class;
    const profile_choice choice = choose_for_profile(each);
    if (choice.way == nullptr) {
      const std::optional<trial_plan> known = find_old(old, measured_class);
      if (!known) continue;
      if (is_shown_slower(each, *known)) {
        remove_way(change.entry, measured_class);
        change.removed.push_back(measured_class);
      } else if (renew_figures(change.entry, each)) {
        change.renewed.push_back(measured_class);
      }
    } else if (!choice.unknown.empty() && is_settled(old, measured_class)) {
      change.kept.push_back(measured_class);
    } else {
      set_way(change.entry, each, choice.unknown);
      set_expectation(change.entry, each);
      change.saved.push_back(measured_class);
    }
  }
  if (change.saved.empty()) change.entry.size = old.size;
  return change;
}

}  // namespace freshet::tool
