// Draws stored trials that processed files line by line, for `freshet history` and `freshet report`.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace freshet::tool {

/// A lines_drawer (tool/analysis/lines_drawing.hpp): tables of seconds and of MB/s beside the published ones, what
/// follows from them, and the script of the page's heat map.
[[nodiscard]] nlohmann::json draw_line_cells(const nlohmann::json& groups);

}  // namespace freshet::tool
