#include "tool/search/significance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace freshet::tool {
namespace {

constexpr std::size_t small_sample = 8;       // up to this size, the distribution of U is counted exactly
constexpr std::size_t representatives = 256;  // of a larger sample, for which there would be too many pairs

// The rank of each value, from 1; equal values share the mean of their ranks.
struct ranking_of_values {
  std::vector<double> ranks;
  double ties = 0;  // t³ - t, summed over the groups of t equal values
};

// The indices of the values, the lowest value first.
std::vector<std::size_t> sort_indices(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  return order;
}

ranking_of_values rank(std::span<const double> values) {
  const std::vector<std::size_t> order = sort_indices(values);
  ranking_of_values ranking{.ranks = std::vector<double>(values.size())};
  for (std::size_t from = 0; from < order.size();) {
    std::size_t to = from;
    while (to < order.size() && values[order[to]] == values[order[from]]) ++to;
    const auto equal = static_cast<double>(to - from);
    for (std::size_t i = from; i < to; ++i) ranking.ranks[order[i]] = static_cast<double>(from) + (equal + 1) / 2;
    ranking.ties += equal * (equal * equal - 1);
    from = to;
  }
  return ranking;
}

// U of the first sample, and its variance by chance.
struct u_statistic {
  double u = 0;
  double pairs = 0;
  double variance = 0;
  bool ties = false;
};

u_statistic compare_ranks(std::span<const double> first, std::span<const double> second) {
  std::vector<double> all{first.begin(), first.end()};
  all.insert(all.end(), second.begin(), second.end());
  const ranking_of_values ranked = rank(all);
  const auto count = static_cast<double>(first.size());
  const auto others = static_cast<double>(second.size());
  const double both = count + others;
  const double sum = std::accumulate(ranked.ranks.begin(), ranked.ranks.begin() + std::ssize(first), 0.0);
  return {.u = sum - count * (count + 1) / 2,
          .pairs = count * others,
          .variance = count * others / 12 * (both + 1 - (both > 1 ? ranked.ties / (both * (both - 1)) : 0)),
          .ties = ranked.ties > 0};
}

// The probability that a normal value is at least `distance` from its mean; less `continuity`, half a step, because the
// approximated values come in steps.
double two_sided(double distance, double variance, double continuity) {
  const double continuous = std::max(0.0, std::abs(distance) - continuity);
  return continuous == 0 ? 1 : std::erfc(continuous / std::sqrt(2 * variance));
}

// How many figures each side has of one kind.
struct sample_sizes {
  std::size_t few = 0;
  std::size_t many = 0;
};

bool are_small(std::span<const sample_sizes> kinds) {
  return std::ranges::all_of(kinds, [](const sample_sizes& kind) { return kind.few <= small_sample; });
}

// The probability that U, summed over the kinds, is at most `least`, to either side, by counting: of all ways to choose
// `few` of `few + many` ranks, the number that comes to each U is the coefficient of q^U in the Gaussian binomial, and
// of all kinds together that of the product.
double count_exactly(std::span<const sample_sizes> kinds, std::size_t least) {
  std::vector<double> ways(least + 1, 0.0);
  ways[0] = 1;
  double all = 1;
  for (const auto& [few, many] : kinds)
    for (std::size_t i = 1; i <= few; ++i) {
      for (std::size_t u = least; u >= many + i; --u) ways[u] -= ways[u - many - i];
      for (std::size_t u = i; u <= least; ++u) ways[u] += ways[u - i];
      all *= static_cast<double>(many + i) / static_cast<double>(i);
    }
  return std::min(1.0, 2 * std::accumulate(ways.begin(), ways.end(), 0.0) / all);
}

// How many of the smallest of all ratios of two samples, and as many of the largest, lie outside the interval for the
// true one, and the confidence that it attains.
struct outer_ratios {
  std::size_t count = 0;
  double confidence = 0;
};

outer_ratios find_outer_ratios(std::span<const sample_sizes> kinds) {
  double pairs = 0;
  double variance = 0;
  for (const auto& [few, many] : kinds) {
    const double of_kind = static_cast<double>(few) * static_cast<double>(many);
    pairs += of_kind;
    variance += of_kind / 12 * static_cast<double>(few + many + 1);
  }
  const bool exactly = are_small(kinds);
  const auto chance = [&](std::size_t u) {
    return exactly ? count_exactly(kinds, u) : two_sided(pairs / 2 - static_cast<double>(u), variance, 0.5);
  };
  // The largest U that is unlikely enough, by bisection: the chance rises with U.
  std::size_t outside = 0;
  for (std::size_t above = static_cast<std::size_t>(pairs / 2) + 1; above - outside > 1;) {
    const std::size_t middle = std::midpoint(outside, above);
    (chance(middle) <= 1 - least_confidence ? outside : above) = middle;
  }
  return {outside, 1 - chance(outside)};
}

// The probability that Student's t is at least as far from 0 as this, for whole degrees of freedom. Source: Abramowitz
// and Stegun, 26.7.3 and 26.7.4.
double student_two_sided(double t, std::size_t freedom) {
  const double angle = std::atan(std::abs(t) / std::sqrt(static_cast<double>(freedom)));
  const double cosine = std::cos(angle);
  const bool odd = freedom % 2 == 1;
  double sum = 0;
  double term = odd ? cosine : 1;
  for (std::size_t i = odd ? 3 : 2; i <= freedom; i += 2) {
    sum += term;
    term *= cosine * cosine * static_cast<double>(i - 1) / static_cast<double>(i);
  }
  const double inside = odd ? 2 / std::numbers::pi * (angle + std::sin(angle) * sum) : std::sin(angle) * sum;
  return std::clamp(1 - inside, 0.0, 1.0);
}

// The sample itself, or the quantiles of a large one.
std::vector<double> represent(std::span<const double> sample) {
  std::vector<double> sorted{sample.begin(), sample.end()};
  if (sorted.size() <= representatives) return sorted;
  std::ranges::sort(sorted);
  std::vector<double> chosen;
  for (std::size_t i = 0; i < representatives; ++i)
    chosen.push_back(sorted[(2 * i + 1) * sorted.size() / (2 * representatives)]);
  return chosen;
}

sample_sizes sizes_of(const sample_pair& kind) {
  return {std::min(kind.earlier.size(), kind.later.size()), std::max(kind.earlier.size(), kind.later.size())};
}

// The logarithms of all ratios: the median of an even number of them is then that of the inverse ratios, too.
void append_log_ratios(std::vector<double>& ratios, const sample_pair& kind) {
  const std::vector<double> before = represent(kind.earlier);
  for (const double later : represent(kind.later))
    for (const double earlier : before) ratios.push_back(std::log(later / earlier));
}

sample_pair make_kind(std::span<const double> later, std::span<const double> earlier) {
  return {.earlier = {earlier.begin(), earlier.end()}, .later = {later.begin(), later.end()}};
}

}  // namespace

rank_test mann_whitney(std::span<const sample_pair> kinds) {
  u_statistic all;
  std::vector<sample_sizes> sizes;
  for (const sample_pair& kind : kinds) {
    if (kind.earlier.empty() || kind.later.empty()) continue;
    const u_statistic statistic = compare_ranks(kind.later, kind.earlier);
    all = {.u = all.u + statistic.u,
           .pairs = all.pairs + statistic.pairs,
           .variance = all.variance + statistic.variance,
           .ties = all.ties || statistic.ties};
    sizes.push_back(sizes_of(kind));
  }
  if (sizes.empty()) return {};
  if (all.ties || !are_small(sizes)) return {all.u, two_sided(all.u - all.pairs / 2, all.variance, 0.5)};
  return {all.u, count_exactly(sizes, static_cast<std::size_t>(std::min(all.u, all.pairs - all.u)))};
}

rank_test mann_whitney(std::span<const double> first, std::span<const double> second) {
  return mann_whitney(std::array{make_kind(first, second)});
}

estimate estimate_ratio(std::span<const sample_pair> kinds) {
  std::vector<double> ratios;
  std::vector<sample_sizes> sizes;
  double pairs = 0;
  std::array<std::size_t, 2> figures{};
  for (const sample_pair& kind : kinds) {
    if (kind.earlier.empty() || kind.later.empty()) continue;
    append_log_ratios(ratios, kind);
    sizes.push_back(sizes_of(kind));
    pairs += static_cast<double>(kind.earlier.size()) * static_cast<double>(kind.later.size());
    figures[0] += kind.earlier.size();
    figures[1] += kind.later.size();
  }
  std::ranges::sort(ratios);
  const outer_ratios outer = find_outer_ratios(sizes);
  // Of samples so large that they are represented, fewer ratios exist, and as large a share of them lies outside.
  const double share = static_cast<double>(outer.count) / pairs;
  const auto outside = static_cast<std::size_t>(share * static_cast<double>(ratios.size()));
  return {std::exp(median(ratios)),
          {std::exp(ratios[outside]), std::exp(ratios[ratios.size() - 1 - outside])},
          std::ranges::min(figures),
          outer.confidence};
}

estimate estimate_ratio(std::span<const double> first, std::span<const double> second) {
  return estimate_ratio(std::array{make_kind(first, second)});
}

rank_test sign_test(std::span<const pairing> pairs) {
  const auto above = std::ranges::count_if(pairs, [](const pairing& pair) { return pair.first > pair.second; });
  const auto below = std::ranges::count_if(pairs, [](const pairing& pair) { return pair.first < pair.second; });
  const auto n = static_cast<double>(above + below);
  if (n == 0) return {};
  double log_chance = -n * std::numbers::ln2;  // of so many pairs that agree with the fewer
  double chance = 0;
  for (std::ptrdiff_t agree = 0; agree <= std::min(above, below); ++agree) {
    chance += std::exp(log_chance);
    log_chance += std::log((n - static_cast<double>(agree)) / static_cast<double>(agree + 1));
  }
  return {static_cast<double>(above), std::min(1.0, 2 * chance)};
}

rank_test spearman(std::span<const double> one, std::span<const double> other) {
  if (one.size() < 3) return {};
  const std::vector<double> ranks = rank(one).ranks;
  const std::vector<double> others = rank(other).ranks;
  const double middle = (static_cast<double>(one.size()) + 1) / 2;
  double together = 0;
  double spread = 0;
  double other_spread = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    together += (ranks[i] - middle) * (others[i] - middle);
    spread += (ranks[i] - middle) * (ranks[i] - middle);
    other_spread += (others[i] - middle) * (others[i] - middle);
  }
  if (spread == 0 || other_spread == 0) return {};
  const double rho = std::clamp(together / std::sqrt(spread * other_spread), -1.0, 1.0);
  const std::size_t freedom = one.size() - 2;
  if (std::abs(rho) == 1) return {rho, 0};
  return {rho, student_two_sided(rho * std::sqrt(static_cast<double>(freedom) / (1 - rho * rho)), freedom)};
}

std::vector<double> holm(std::span<const double> significances) {
  const std::vector<std::size_t> order = sort_indices(significances);
  std::vector<double> corrected(significances.size());
  double least = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    least = std::clamp(significances[order[i]] * static_cast<double>(order.size() - i), least, 1.0);
    corrected[order[i]] = least;
  }
  return corrected;
}

std::string format_p_value(double significance) {
  return significance < 0.001 ? "p < 0.001" : fmt::format("p = {:.2g}", significance);
}

change common_change(std::span<const sample_pair> kinds) {
  std::vector<double> ratios;
  double excess = 0;  // of U over its expectation if nothing changes, summed over the kinds
  double variance = 0;
  for (const sample_pair& kind : kinds) {
    if (kind.earlier.empty() || kind.later.empty()) continue;
    const u_statistic statistic = compare_ranks(kind.later, kind.earlier);
    excess += statistic.u - statistic.pairs / 2;
    variance += statistic.variance;
    const std::vector<double> before = represent(kind.earlier);
    for (const double later : represent(kind.later))
      for (const double earlier : before) ratios.push_back(later / earlier);
  }
  if (ratios.empty()) return {};
  return {median(std::move(ratios)), two_sided(excess, variance, 0.5)};
}

// Of all ways to sort 2n values, two separate the sides; of all ways in which n pairs may differ, two agree in all.
std::size_t count_trials_needed(std::size_t comparisons, bool paired) {
  double chance = 2;
  std::size_t trials = 0;
  while (chance * static_cast<double>(comparisons) >= significance_limit) {
    ++trials;
    const auto n = static_cast<double>(trials);
    chance *= paired ? 0.5 : n / (2 * (2 * n - 1));  // of C(2n, n) against C(2n - 2, n - 1)
  }
  return trials;
}

}  // namespace freshet::tool
