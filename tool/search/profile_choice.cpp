#include "tool/search/profile_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

constexpr std::string_view default_method = "buffered";

const candidate* find_default(const class_result& result) {
  const candidate* best = nullptr;
  for (const candidate& entry : result.candidates) {
    if (entry.plan.method != default_method || count_usable(entry) == 0) continue;
    if (best == nullptr || seconds_ratio(entry, *best) < 1) best = &entry;
  }
  return best;
}

std::string describe_unmeasured(const std::vector<trial_plan>& plans) {
  constexpr std::size_t named = 3;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(plans.size(), named); ++i) names.push_back(describe(plans[i]));
  if (plans.size() > named) names.push_back(fmt::format("{} more", plans.size() - named));
  return fmt::format("no valid trial of {}", fmt::join(names, ", "));
}

std::string describe_unknown(const class_result& result, const candidate& winner) {
  std::string unknown;
  if (!result.verdict.unmeasured.empty()) unknown = describe_unmeasured(result.verdict.unmeasured);
  if (const std::size_t rounds = usable_samples(winner).size(); rounds < rounds_to_decide)
    unknown += fmt::format("{}only {}", unknown.empty() ? "" : ", ", format_count(rounds, "round"));
  return unknown;
}

}  // namespace

profile_choice choose_for_profile(const class_result& result) {
  if (result.verdict.ranking.empty()) return {.unknown = "no trial was valid"};
  const candidate* const usual = find_default(result);
  if (usual == nullptr)
    return {.unknown = fmt::format("there is no valid trial of {}, the default, to compare with", default_method)};
  const ranked_candidate& first = result.verdict.ranking.front();
  const candidate& winner = result.candidates[first.index];
  if (!result.verdict.unmeasured.empty() &&
      compare(winner, *usual, {result.verdict.negligible_share, estimate_noise(result.candidates)}).result !=
          outcome::better)
    return {.unknown = describe_unmeasured(result.verdict.unmeasured)};
  return {&first, describe_unknown(result, winner)};
}

file_system_profile make_profile(const tuning& result, const file_system_profile& old) {
  file_system_profile entry;
  entry.winners = old.winners;
  entry.cold = old.cold;
  entry.warm = old.warm;
  for (const class_result& each : result.classes) {
    const profile_choice choice = choose_for_profile(each);
    if (choice.winner == nullptr) continue;
    const trial_plan& plan = choice.winner->plan;
    entry.size = std::max(entry.size, choice.winner->size);
    if (reads(plan.measured_class)) {
      (plan.measured_class == io_class::cold ? entry.cold : entry.warm) =
          read_settings{plan.method, plan.block, plan.depth, choice.unknown};
      continue;
    }
    write_settings winner{plan.method, plan.block, plan.depth, choice.unknown};
    if (each.next_file && each.next_file->plan == plan) winner.slowest_expected = std::round(each.next_file->rates.low);
    entry.winners.at(static_cast<std::size_t>(durability_of(plan.measured_class))) = winner;
  }
  return entry;
}

}  // namespace freshet::tool
