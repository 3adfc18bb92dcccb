// Stored trials that processed files line by line, as a table: threads and strategies down, work across.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lab/sweep/sweep_cells.hpp"

namespace freshet::tool {

/// The figures of one way at one level of work: medians over its valid trials.
struct line_cell {
  fastest_at_work what;             ///< seconds, and what takes them
  std::string way;                  ///< the strategy, and what else sets it apart from others
  double spread = 0;                ///< the median deviation of the seconds, as a share of their median
  double megabytes = 0;             ///< 10^6 bytes of input per second
  std::optional<double> published;  ///< the same, published for this cell
  std::size_t trials = 0;           ///< valid ones
};

/// The cells of a group of the workload "lines" that have a valid trial, by threads, way and work. `processors` is the
/// number that their machine has.
[[nodiscard]] std::vector<line_cell> list_line_cells(const report_group& group, unsigned processors);

/// Two tables, of seconds and of MB/s, below headings in so many columns; empty if no trial is valid.
[[nodiscard]] std::string format_line_cells(const report_group& group, unsigned processors, std::size_t columns);

/// "1.25 ±3 %": seconds, and the spread of their trials as a share if there are several.
[[nodiscard]] std::string format_with_spread(double value, double spread, std::size_t trials);

/// "58.3 (2.15)": MB/s, and in brackets the published one if there is one. And the heading of a table of them.
[[nodiscard]] std::string format_speed(double megabytes, std::optional<double> published);
[[nodiscard]] std::string speed_heading(bool has_published, std::size_t columns);

void to_json(nlohmann::json& out, const line_cell& cell);

}  // namespace freshet::tool
