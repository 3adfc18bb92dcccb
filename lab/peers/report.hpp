// The results of `freshet peers`, for people.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "lab/peers/rows.hpp"
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

/// Peers that were measured with the options of a request.
struct peers_with_options {
  peer_request wanted;
  peer_catalogue all;
};

/// A published program with some options, then and today.
struct program_cell {
  std::uint64_t row = 0;  ///< of the published table
  std::string program;
  std::string options;              ///< "reserve, no-cache"; empty: none
  std::string then;                 ///< "255 @ 100 %"; empty: not published
  const peer_row* today = nullptr;  ///< null: there is no such peer here, or it cannot do that
  double rate_then = 0;             ///< MB/s of 2^20 bytes; 0: not published
  double rate = 0;                  ///< today's; 0: not measured
  double cpu = 0;                   ///< percent of one processor
};

/// The cells of the published programs, each with every one of the requests, except for those that are neither
/// published nor measured. They refer to the rows of `all`.
[[nodiscard]] std::vector<program_cell> compare_by_options(std::span<const peers_with_options> all);
/// Returns them as a table, with the extents of today's files and the MB/s of reading them back.
[[nodiscard]] std::string format_by_options(std::span<const program_cell> cells, const screen& look = {});
/// Converts all but the trials of the row.
void to_json(nlohmann::json& out, const program_cell& cell);

}  // namespace freshet::tool
