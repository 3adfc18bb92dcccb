// Files processed line by line: what the laboratory makes of their trials. Only it knows the cells of threads and work,
// and what was published for them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tool/analysis/groups.hpp"

namespace freshet::tool {

/// A group of the role `lines`, which must outlive this, and the number of processors of its machine.
struct lines_group {
  const report_group* group = nullptr;
  unsigned processors = 1;
};

/// What its trials say.
struct lines_section {
  std::string state = "none";                   ///< "sweep"; "none": no valid trial, or nobody is there to draw it
  std::string headline;                         ///< sentences: the answer, or why there is none
  std::vector<std::string> remarks = {};        ///< sentences
  std::optional<unsigned> cpu_bound_from = {};  ///< the level of work from which on the processors are the limit
  std::vector<nlohmann::json> rows = {};        ///< of each of the group's rows: strategy, threads, work, seconds, busy
  nlohmann::json cells = nlohmann::json::array();  ///< those with a valid trial, sorted, for JSON
  std::string tables = {};                         ///< the same for a terminal; empty if there are none
};

/// The sections of some groups, in their order, and the part of the page's script that draws them.
struct lines_drawing {
  std::vector<lines_section> sections;
  std::string script;
};

/// Nobody is there to draw: the laboratory is not built, or not installed.
class nobody_draws : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The one who draws: takes groups as write_groups() writes them, and returns {"sections": one for each, "script":
/// text}.
/// @throws nobody_draws
using lines_drawer = std::function<nlohmann::json(const nlohmann::json&)>;

/// The groups as JSON: what was measured of each of their trials that counts. `columns`: of the text.
[[nodiscard]] nlohmann::json write_groups(std::span<const lines_group> groups, std::size_t columns);

/// Has `draw` draw the groups. Where nobody draws, the sections say so, and there is no script.
[[nodiscard]] lines_drawing draw_lines(std::span<const lines_group> groups, const lines_drawer& draw,
                                       std::size_t columns = 80);

}  // namespace freshet::tool
