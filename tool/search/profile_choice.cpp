#include "tool/search/profile_choice.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

std::string describe_unknown(const class_answer& answer) {
  if (answer.is_sure) return {};
  const std::size_t rounds = answer.best->rate.count;
  return rounds < rounds_to_decide ? "only " + format_count(rounds, "round") : "not settled";
}

// Calls `use` with what a profile has for the class, if anything: settings for reading or for writing.
auto with_settings(auto& entry, io_class measured_class, auto use) {
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

// Whether the trials show that the old way is slower than what programs get by themselves.
bool is_shown_slower(const class_result& result, const trial_plan& old) {
  const class_answer answer = find_answer(result);
  if (answer.by_themselves == nullptr) return false;
  const auto is_old = [&](const ranked_candidate& ranked) {
    return ranked.plan.method == old.method && (old.block == 0 || ranked.plan.block == old.block) &&
           (old.depth == 0 || ranked.plan.depth == old.depth);
  };
  const auto found = std::ranges::find_if(result.verdict.ranking, is_old);
  if (found == result.verdict.ranking.end() || &*found == answer.by_themselves) return false;
  const comparison against = compare(result.candidates[found->index], result.candidates[answer.by_themselves->index],
                                     {result.verdict.negligible_share, estimate_noise(result.candidates)});
  return against.result == outcome::worse && is_certain(against);
}

void set_way(file_system_profile& entry, io_class measured_class, const profile_choice& choice,
             const std::optional<prediction>& next_file) {
  const trial_plan& plan = choice.way->plan;
  entry.size = std::max(entry.size, choice.way->size);
  if (reads(measured_class)) {
    (measured_class == io_class::cold ? entry.cold : entry.warm) =
        read_settings{plan.method, plan.block, plan.depth, choice.unknown};
    return;
  }
  write_settings way{plan.method, plan.block, plan.depth, choice.unknown};
  // Predicted of these blocks, which others may have replaced since.
  if (next_file && next_file->plan.method == plan.method && next_file->plan.block == plan.block &&
      next_file->plan.depth == plan.depth)
    way.slowest_expected = std::round(next_file->rates.low);
  entry.winners.at(static_cast<std::size_t>(durability_of(measured_class))) = way;
}

void remove_way(file_system_profile& entry, io_class measured_class) {
  with_settings(entry, measured_class, [](auto& settings) { settings.reset(); });
}

}  // namespace

profile_choice choose_for_profile(const class_result& result) {
  const class_answer answer = find_answer(result);
  if (answer.what != advice::profile) return {};
  const bool is_refined = result.refined && !result.refined->verdict.ranking.empty();
  return {is_refined ? &result.refined->verdict.ranking.front() : answer.best, describe_unknown(answer)};
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
      if (!known || !is_shown_slower(each, *known)) continue;
      remove_way(change.entry, measured_class);
      change.removed.push_back(measured_class);
    } else if (!choice.unknown.empty() && is_settled(old, measured_class)) {
      change.kept.push_back(measured_class);
    } else {
      set_way(change.entry, measured_class, choice, each.next_file);
      change.saved.push_back(measured_class);
    }
  }
  if (change.saved.empty()) change.entry.size = old.size;
  return change;
}

}  // namespace freshet::tool
