// The results of `freshet peers`, for people.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tool/peer/rows.hpp"
#include "tool/report/screen.hpp"
#include "tool/search/ranking.hpp"

namespace freshet::tool {

/// Ranks the rows that were measured to the end.
[[nodiscard]] class_verdict rank_peers(std::span<const peer_row> rows, const peer_request& wanted);

/// Returns the ranking, all figures, published figures beside today's, and what failed or was left out with reasons.
[[nodiscard]] std::string format_peers(const peer_catalogue& all, const peer_request& wanted,
                                       const class_verdict& verdict, const screen& look = {});

/// Returns a list of the peers, and of those that cannot be measured, with reasons.
[[nodiscard]] std::string format_peer_list(std::span<const peer_row> rows, const screen& look = {});

/// Converts all but its trials.
void to_json(nlohmann::json& out, const peer_row& row);

/// Returns figures that were published for similar programs beside today's; empty if no such program was measured.
[[nodiscard]] std::string format_published(const peer_catalogue& all, const peer_request& wanted,
                                           const screen& look = {});

[[nodiscard]] bool has_usable_trial(const peer_row& row);
/// Returns the usable trials, or all if none is usable.
[[nodiscard]] std::vector<const peer_trial*> usable_samples(const peer_row& row);

}  // namespace freshet::tool
