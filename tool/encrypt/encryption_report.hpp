// A run of `freshet encrypt` that ended well, and the record that is kept of it.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "tool/encrypt/measured_run.hpp"
#include "tool/measure/cold.hpp"
#include "tool/store/record.hpp"

namespace freshet::tool {

struct encryption_report {
  std::string started;  ///< ISO 8601, UTC
  std::string in;
  std::string out;
  encryption_plan plan;
  std::string why;  ///< why the strategy was chosen; empty if the user named it
  unsigned ranks = 1;
  std::size_t finished_before = 0;  ///< files that the continued run had finished
  std::optional<eviction> cold;     ///< empty if it was not requested
  encryption_figures figures;
};

/// The time until the disk has the files is not measured, so it is 0. The record has neither an id nor a run yet.
[[nodiscard]] record make_record(const encryption_report& report);

void to_json(nlohmann::json& text, const eviction& result);
void from_json(const nlohmann::json& text, eviction& result);

}  // namespace freshet::tool
