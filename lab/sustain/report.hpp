// What `freshet sustain` found.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "lab/sustain/verdict.hpp"
#include "tool/report/screen.hpp"

namespace freshet::tool {

/// A load that was judged.
struct sustain_report {
  std::string place;  ///< "/data (ext4 on vda)"
  load_plan plan;
  load_result load;
  std::optional<double> most;  ///< bytes per second as fast as it went; empty: not measured
  sustain_verdict verdict;
};

[[nodiscard]] std::string format_sustain(const sustain_report& report, const screen& look);
void to_json(nlohmann::json& out, const sustain_report& report);

}  // namespace freshet::tool
