#include "tool/search/duel.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace freshet::tool {
namespace {

std::optional<std::size_t> estimate_rounds(const comparison& against, double worse, double fine) {
  const auto rounds = static_cast<double>(against.ratio.count);
  if (!(against.bounds.low > 0)) return rounds_to_decide;
  const double reach = std::log(against.bounds.high / against.bounds.low) / 2;
  const double middle = std::log(against.bounds.high * against.bounds.low) / 2;
  const double room = std::max(middle - std::log(worse), std::log(fine) - middle);
  const double more = std::max(std::ceil(rounds * (reach / room) * (reach / room)) - rounds, 1.0);
  return static_cast<std::size_t>(std::max(more, rounds_to_decide - rounds));
}

}  // namespace

duel judge_duel(const candidate& first, const candidate& second, double tolerated) {
  const double worse = 1 + tolerated;
  const double fine = 1 + std::max(largest_doubt_of_duel, 3 * tolerated);
  const double noise = estimate_noise(std::array{first, second});
  duel result{.against = compare(first, second, {tolerated, noise})};
  const bool enough = result.against.ratio.count >= rounds_to_decide;
  if (enough && result.against.bounds.low > worse)
    result.state = duel_state::worse;
  else if (enough && result.against.bounds.high < fine)
    result.state = duel_state::fine;
  else
    result.rounds_to_go = estimate_rounds(result.against, worse, fine);
  return result;
}

std::string_view to_string(duel_state state) {
  static constexpr std::array<std::string_view, 3> names{"open", "worse", "fine"};
  return names.at(static_cast<std::size_t>(state));
}

}  // namespace freshet::tool
