// The results of `freshet peers`, for people.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tool/peer/rows.hpp"
#include "tool/report/screen.hpp"
#include "tool/search/ranking.hpp"
#include "tool/search/statistics.hpp"

namespace freshet::tool {

/// Ranks the rows that were measured to the end.
[[nodiscard]] class_verdict rank_peers(std::span<const peer_row> rows, const peer_request& wanted);

/// Returns the ranking, all figures, published figures beside today's, and what failed or was left out with reasons.
[[nodiscard]] std::string format_peers(std::span<const peer_row> rows, const peer_request& wanted,
                                       const class_verdict& verdict, const screen& look = {});

/// Returns a list of the peers, and of those that cannot be measured, with reasons.
[[nodiscard]] std::string format_peer_list(std::span<const peer_row> rows, const screen& look = {});

/// Converts all but its trials.
void to_json(nlohmann::json& out, const peer_row& row);

/// Returns figures that were published for similar programs beside today's; empty if no such program was measured.
[[nodiscard]] std::string format_published(std::span<const peer_row> rows, const peer_request& wanted,
                                           const screen& look = {});

/// Returns the row of that name, or of the first of its variants, that has a usable trial; null if there is none.
[[nodiscard]] const peer_row* find_measured(std::span<const peer_row> rows, std::string_view name);
/// Returns the median of a figure over the row's usable trials. Precondition: there is one.
template <typename Figure>
[[nodiscard]] double median_figure(const peer_row& row, Figure figure) {
  std::vector<double> values;
  for (const peer_trial& trial : row.trials)
    if (trial.figures.is_usable()) values.push_back(figure(trial));
  return median(std::move(values));
}

}  // namespace freshet::tool
