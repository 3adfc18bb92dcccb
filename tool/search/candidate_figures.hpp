// The figures that are drawn from the trials of a candidate.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "tool/search/counted_trials.hpp"
#include "tool/search/statistics.hpp"
#include "tool/trial/candidate.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

[[nodiscard]] std::size_t count_usable(const candidate& entry);
/// Whether it should have been measured, but has no usable trial.
[[nodiscard]] bool is_unmeasured(const candidate& entry);
/// Returns the trials that a candidate's figures are drawn from: sort_trials() says which.
[[nodiscard]] std::vector<const trial_result*> usable_samples(const candidate& entry);
/// Returns the same, or all its trials if none counts: what is shown, and marked, of one that cannot be ranked.
[[nodiscard]] std::vector<const trial_result*> samples_to_show(const candidate& entry);
/// Returns the median, over the usable samples, of the seconds that the class ranks by. Precondition:
/// count_usable(entry) > 0.
[[nodiscard]] double seconds_per_gb(const candidate& entry);
/// Returns the MB/s that these seconds come to. Precondition: count_usable(entry) > 0.
[[nodiscard]] double ranking_rate(const candidate& entry);
/// Returns the median CPU seconds of the whole machine over the usable samples. Precondition: count_usable(entry) > 0.
[[nodiscard]] double cpu_per_gb(const candidate& entry);

/// The trials of two candidates in one round.
struct trial_pair {
  const trial_result* first = nullptr;
  const trial_result* second = nullptr;
};

/// Returns the usable trials of both in the rounds in which both met memory of one state: of those that do not screen,
/// if there are two rounds of them, else of all; of these those that nothing disturbed, if there are rounds_to_decide;
/// and of these those of the largest size of which there are three.
[[nodiscard]] std::vector<trial_pair> find_shared_trials(const candidate& first, const candidate& second);

/// Returns a figure of both trials of each pair.
template <typename Figure>
[[nodiscard]] std::vector<pairing> pair_figures(std::span<const trial_pair> pairs, Figure figure) {
  std::vector<pairing> figures;
  for (const trial_pair& each : pairs)
    figures.push_back({std::invoke(figure, *each.first), std::invoke(figure, *each.second)});
  return figures;
}

}  // namespace freshet::tool
