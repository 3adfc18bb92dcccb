// A campaign as text and as JSON.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lab/campaign/journal.hpp"
#include "tool/report/history_report.hpp"
#include "tool/report/screen.hpp"

namespace freshet::tool {

/// What is known of a campaign.
struct campaign_view {
  campaign record;
  std::vector<journaled_step> steps;
  std::optional<int> process;  ///< that works on it
  std::filesystem::path store;
  std::string stop_file;                  ///< empty: it does not exist
  std::vector<run_summary> figures = {};  ///< of the runs that several steps share
};

struct campaign_counts {
  std::uint64_t done = 0;
  std::uint64_t failed = 0;    ///< of those that are done
  std::uint64_t repeated = 0;  ///< with an attempt that was cut off
  std::uint64_t not_cold = 0;  ///< of those that are done and were to be cold
};
[[nodiscard]] campaign_counts count_steps(const std::vector<journaled_step>& steps);

/// "small files, threads 2, work 100 (repetition 1)"
[[nodiscard]] std::string describe(const planned_step& step);
/// The runs that the results of several steps share.
[[nodiscard]] std::vector<std::int64_t> shared_runs(const std::vector<journaled_step>& steps);
/// The campaign, a row for each step, and the figures.
[[nodiscard]] std::string format_campaign(const campaign_view& view, const screen& look);
/// One step with all its attempts, and what the last one printed.
[[nodiscard]] std::string format_step(const journaled_step& step);
/// The plan multiplied out, in its order.
[[nodiscard]] std::string format_plan(const std::vector<planned_step>& steps, const screen& look);
[[nodiscard]] nlohmann::json make_json(const campaign_view& view);

}  // namespace freshet::tool
