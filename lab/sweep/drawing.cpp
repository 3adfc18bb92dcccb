#include "lab/sweep/drawing.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "lab/sweep/lines_report.hpp"
#include "lab/sweep/sweep_cells.hpp"
#include "tool/base/json_optional.hpp"

// The beginning and the end of sweep.js, which is embedded in the program.
extern "C" {
extern const char freshet_sweep_script[];
extern const char freshet_sweep_script_end[];
}

namespace freshet::tool {
namespace {

void read_trial(const nlohmann::json& in, report_row& row, candidate& entry) {
  trial_result& trial = entry.trials.emplace_back();
  trial.plan = entry.plan;
  trial.bytes = in.at("bytes");
  trial.seconds_to_close = in.at("seconds_to_close");
  trial.cpu_waited = in.at("cpu_waited").get<std::optional<double>>();
  const nlohmann::json& cpu = in.at("cpu_to_close");
  row.cpu_to_close.push_back(cpu.is_null() ? std::numeric_limits<double>::quiet_NaN() : cpu.get<double>());
}

report_group read_group(const nlohmann::json& in) {
  report_group group;
  group.role = group_role::lines;
  for (const nlohmann::json& each : in.at("rows")) {
    report_row& row =
        group.rows.emplace_back(report_row{.method = each.at("method"), .label = {}, .plan = each.at("plan")});
    candidate& entry = group.candidates.emplace_back();
    entry.plan.jobs = each.at("jobs");
    for (const nlohmann::json& trial : each.at("trials")) read_trial(trial, row, entry);
  }
  return group;
}

nlohmann::json draw_row(const report_group& group, std::size_t row, unsigned processors) {
  const fastest_at_work cell = summarize_cell(group, row, processors);
  return {{"strategy", cell.strategy},
          {"threads", cell.threads},
          {"work", cell.work},
          {"seconds", cell.seconds},
          {"busy", cell.busy}};
}

nlohmann::json draw_section(const report_group& group, unsigned processors, std::size_t columns) {
  const group_verdict verdict = make_sweep_verdict(group, processors);
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t row = 0; row < group.rows.size(); ++row) rows.push_back(draw_row(group, row, processors));
  return {{"state", verdict.state},
          {"headline", verdict.headline},
          {"remarks", verdict.remarks},
          {"cpu_bound_from", find_crossover(group, processors)},
          {"rows", rows},
          {"cells", list_line_cells(group, processors)},
          {"tables", format_line_cells(group, processors, columns)}};
}

}  // namespace

nlohmann::json draw_line_cells(const nlohmann::json& groups) {
  nlohmann::json sections = nlohmann::json::array();
  for (const nlohmann::json& each : groups.at("groups"))
    sections.push_back(draw_section(read_group(each), each.at("processors"), groups.at("columns")));
  return {{"sections", sections}, {"script", std::string_view{freshet_sweep_script, freshet_sweep_script_end}}};
}

}  // namespace freshet::tool
