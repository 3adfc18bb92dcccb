#include "tool/analysis/lines_drawing.hpp"

#include "tool/base/json_optional.hpp"
#include "tool/search/counted_trials.hpp"

namespace freshet::tool {
namespace {

// NaN, for a time that is not known, becomes null.
nlohmann::json write_trial(const trial_result& trial, double cpu_to_close) {
  return {{"bytes", trial.bytes},
          {"seconds_to_close", trial.seconds_to_close},
          {"cpu_to_close", cpu_to_close},
          {"cpu_waited", trial.cpu_waited}};
}

nlohmann::json write_row(const report_row& row, const candidate& entry) {
  nlohmann::json trials = nlohmann::json::array();
  for (const trial_result* trial : usable_samples(entry))
    trials.push_back(write_trial(*trial, row.cpu_to_close[static_cast<std::size_t>(trial - entry.trials.data())]));
  return {{"method", row.method}, {"plan", row.plan}, {"jobs", entry.plan.jobs}, {"trials", std::move(trials)}};
}

lines_section read_section(const nlohmann::json& drawn) {
  return {.state = drawn.at("state"),
          .headline = drawn.at("headline"),
          .remarks = drawn.at("remarks"),
          .cpu_bound_from = drawn.at("cpu_bound_from").get<std::optional<unsigned>>(),
          .rows = drawn.at("rows"),
          .cells = drawn.at("cells"),
          .tables = drawn.at("tables")};
}

}  // namespace

nlohmann::json write_groups(std::span<const lines_group> groups, std::size_t columns) {
  nlohmann::json all = nlohmann::json::array();
  for (const auto& [group, processors] : groups) {
    nlohmann::json rows = nlohmann::json::array();
    for (std::size_t row = 0; row < group->rows.size(); ++row)
      rows.push_back(write_row(group->rows[row], group->candidates[row]));
    all.push_back({{"processors", processors}, {"rows", std::move(rows)}});
  }
  return {{"columns", columns}, {"groups", std::move(all)}};
}

lines_drawing draw_lines(std::span<const lines_group> groups, const lines_drawer& draw, std::size_t columns) {
  try {
    const nlohmann::json drawn = draw(write_groups(groups, columns));
    lines_drawing all{.sections = {}, .script = drawn.at("script")};
    for (const nlohmann::json& section : drawn.at("sections")) all.sections.push_back(read_section(section));
    if (all.sections.size() != groups.size()) throw std::runtime_error{"not all groups were drawn"};
    return all;
  } catch (const nobody_draws& why) {
    return {.sections = std::vector<lines_section>(groups.size(), {.headline = why.what()}), .script = {}};
  }
}

}  // namespace freshet::tool
