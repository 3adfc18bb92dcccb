// What people see of `freshet peers`.
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

/// Who is faster, of the rows that were measured to the end.
[[nodiscard]] verdict peers_verdict(std::span<const peer_row> rows, const peer_request& wanted);

/// The ranking, all figures, what was published long ago beside today's, and what failed or was left out, with reasons.
[[nodiscard]] std::string peers_report(std::span<const peer_row> rows, const peer_request& wanted, const verdict& found,
                                       const screen& look = {});

/// What peers there are, and which of them cannot be measured, and why.
[[nodiscard]] std::string peers_list(std::span<const peer_row> rows, const screen& look = {});

/// All but its trials.
void to_json(nlohmann::json& out, const peer_row& row);

/// The figures that were published of programs like these, beside today's; empty where no such program was measured.
[[nodiscard]] std::string format_published(std::span<const peer_row> rows, const peer_request& wanted,
                                           const screen& look = {});

/// The row of that name, or the first of its variants, with a trial that counts; null where there is none.
[[nodiscard]] const peer_row* find_measured(std::span<const peer_row> rows, std::string_view name);
/// The median of a figure over the row's trials that count. Precondition: it has one.
template <typename Figure>
[[nodiscard]] double median_figure(const peer_row& row, Figure figure) {
  std::vector<double> values;
  for (const peer_trial& made : row.trials)
    if (counts(made.figures)) values.push_back(figure(made));
  return median(std::move(values));
}

}  // namespace freshet::tool
