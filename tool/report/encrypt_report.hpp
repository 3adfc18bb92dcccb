// What `freshet encrypt` says in the end.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "tool/encrypt/measured_run.hpp"
#include "tool/measure/cold.hpp"
#include "tool/store/record.hpp"

namespace freshet::tool {

/// A run that ended well.
struct encryption_report {
  std::string started;  ///< ISO 8601, UTC
  std::string in;
  std::string out;
  encryption_plan plan;
  std::string why;  ///< the strategy was chosen; empty where the user named it
  unsigned ranks = 1;
  std::size_t finished_before = 0;  ///< files, by the run that was continued
  std::optional<eviction> cold;     ///< empty where it was not asked for
  encryption_figures figures;
};

[[nodiscard]] std::string to_text(const encryption_report& report);
void to_json(nlohmann::json& text, const encryption_report& report);
/// Neither kept nor part of a run yet. When the disk had the files was not measured: 0 seconds.
[[nodiscard]] record make_record(const encryption_report& report);

void to_json(nlohmann::json& text, const eviction& made);
void from_json(const nlohmann::json& text, eviction& made);

}  // namespace freshet::tool
