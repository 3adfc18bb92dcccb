// What `freshet doctor` found, for people and in JSON.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tool/doctor/findings.hpp"
#include "tool/report/screen.hpp"

namespace freshet::tool {

/// Returns what distorts measurements, the worst first, each with its evidence and what to do; with `details`, also
/// what is fine; then what could not be seen, and why.
[[nodiscard]] std::string format_findings(const machine_facts& facts, const std::vector<finding>& findings,
                                          const screen& look = {}, bool details = false);

/// "Distorted by: memory slow at first touch (freshet doctor says more).", with the line's end; empty if nothing
/// matters.
[[nodiscard]] std::string format_distortions(const std::vector<finding>& findings);

void to_json(nlohmann::json& out, const finding& each);

/// "directory", "findings", "unseen", "distorted" and the figures that were measured.
[[nodiscard]] nlohmann::json make_json(const machine_facts& facts, const std::vector<finding>& findings);

}  // namespace freshet::tool
