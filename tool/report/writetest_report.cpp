#include "tool/report/writetest_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>
#include <vector>

#include "tool/base/size.hpp"
#include "tool/report/table.hpp"

namespace freshet::tool {
namespace {

constexpr double mb = 1 << 20;
constexpr std::string_view line_layout = "{:<10}  {:<{}}  {:>5}  {:>8}  {:>7}  {:>10}  {:>9}\n";

/// A figure's mean, as the original has it, and the least and the most of what it was drawn from.
struct average {
  double mean = 0;
  double least = 0;
  double most = 0;
};

/// Precondition: `trials` is not empty.
template <typename Figure>
average average_of(const std::vector<const trial_result*>& trials, Figure figure) {
  std::vector<double> values;
  for (const trial_result* made : trials) values.push_back(std::invoke(figure, *made));
  const auto [least, most] = std::ranges::minmax(values);
  return {std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()), least, most};
}

double cpu_seconds_per_gb(const trial_result& made) { return made.cpu_whole / static_cast<double>(made.bytes) * 1e9; }

/// Bytes per second in the mean time.
double rate_of(const measured_plan& row, const average& seconds) {
  return static_cast<double>(row.plan.size) / seconds.mean;
}

/// The slowest and the fastest round, in MB/s.
std::string range_of(const measured_plan& row, const average& seconds) {
  if (seconds.least == seconds.most) return "-";
  const double size = static_cast<double>(row.plan.size) / mb;
  return fmt::format("{}-{}", format_figure(size / seconds.most), format_figure(size / seconds.least));
}

std::vector<std::string> list_cells(const measured_plan& row, const screen& look) {
  const std::vector<const trial_result*> trials = usable_samples(row);
  const average close = average_of(trials, &trial_result::seconds_to_close);
  const average disk = average_of(trials, &trial_result::seconds_to_disk);
  return {painted(has_valid_trial(row) ? "" : "!", colour::bad, look),
          writetest_name(row.plan),
          format_figure(close.mean),
          fmt::format("{:.0f}", rate_of(row, close)),
          format_figure(rate_of(row, close) / mb),
          range_of(row, close),
          format_figure(disk.mean),
          format_figure(rate_of(row, disk) / mb),
          range_of(row, disk),
          format_figure(average_of(trials, cpu_seconds_per_gb).mean)};
}

/// What is wrong, and with which methods: mostly it is the same with all of them.
std::string faults_of(std::span<const measured_plan> rows) {
  std::vector<std::pair<std::string, std::string>> names_by_fault;
  for (const measured_plan& row : rows)
    for (const std::string& fault : {fault_of(row), row.why_not.empty() ? "" : "failed: " + row.why_not}) {
      if (fault.empty()) continue;
      const auto known = std::ranges::find(names_by_fault, fault, &std::pair<std::string, std::string>::first);
      if (known == names_by_fault.end())
        names_by_fault.emplace_back(fault, writetest_name(row.plan));
      else
        known->second += ", " + writetest_name(row.plan);
    }
  std::string text;
  for (const auto& [fault, names] : names_by_fault) text += wrapped(fmt::format("{}: {}", names, fault));
  return text;
}

std::string title_of(write_phase phase, target_kind target) {
  return fmt::format("{}, {} files",
                     phase == write_phase::cycle ? "Cycle: all methods in turn" : "Sequential: method by method",
                     target == target_kind::fresh ? "new" : "over existing");
}

nlohmann::json in_json(const measured_plan& row, const average& seconds) {
  const auto size = static_cast<double>(row.plan.size);
  return {{"mean_seconds", seconds.mean},
          {"bytes_per_second", rate_of(row, seconds)},
          {"mib_per_second", rate_of(row, seconds) / mb},
          {"slowest_mib_per_second", size / seconds.most / mb},
          {"fastest_mib_per_second", size / seconds.least / mb}};
}

}  // namespace

std::string_view to_string(write_phase what) { return what == write_phase::cycle ? "cycle" : "sequential"; }

std::string writetest_name(const trial_plan& plan) { return plan.method == "buffered" ? "genio" : plan.method; }

write_lines::write_lines(std::span<const measured_plan> rows) : name_width_{std::string_view{"method"}.size()} {
  for (const measured_plan& row : rows) name_width_ = std::max(name_width_, writetest_name(row.plan).size());
}

std::string write_lines::heading() const {
  return fmt::format(line_layout, "", "", name_width_, "", "to close", "to disk", "to close", "to disk") +
         fmt::format(line_layout, "phase", "method", name_width_, "round", "MB/s", "MB/s", "seconds", "seconds");
}

std::string write_lines::line(write_phase phase, const measured_plan& row, std::string_view round,
                              const screen& look) const {
  const std::string name = writetest_name(row.plan);
  if (!row.why_not.empty())
    return fmt::format("{:<10}  {:<{}}  {:>5}  {}\n", to_string(phase), name, name_width_, round,
                       painted("failed: " + row.why_not, colour::bad, look));
  const trial_result& made = row.trials.back();
  const double size = static_cast<double>(made.bytes) / mb;
  std::string text =
      fmt::format(line_layout, to_string(phase), name, name_width_, round, format_figure(size / made.seconds_to_close),
                  format_figure(size / made.seconds_to_disk), format_figure(made.seconds_to_close),
                  format_figure(made.seconds_to_disk));
  if (made.validity == trial_validity::invalid)
    text += wrapped(fmt::format("{} invalid: {}", painted("!", colour::bad, look), made.reasons.front()), 4);
  return text;
}

std::string writetest_averages(write_phase phase, std::span<const measured_plan> rows, const screen& look) {
  using side = table::side;
  table list{{{"", side::left},
              {"method", side::left, true},
              {"seconds"},
              {"bytes/s"},
              {"MB/s"},
              {"from-to"},
              {"disk s"},
              {"MB/s"},
              {"from-to"},
              {"CPU s/GB"}}};
  for (const measured_plan& row : rows)
    if (!row.trials.empty()) list.add(list_cells(row, look));
  return fmt::format("{}\n{}{}", title_of(phase, rows.front().plan.target), list.text(look.width), faults_of(rows));
}

nlohmann::json averages_in_json(std::span<const measured_plan> rows) {
  nlohmann::json all = nlohmann::json::array();
  for (const measured_plan& row : rows) {
    nlohmann::json one = {{"method", writetest_name(row.plan)},
                          {"plan", row.plan},
                          {"trials", row.trials.size()},
                          {"why_not", row.why_not},
                          {"fault", fault_of(row)}};
    if (!row.trials.empty()) {
      const std::vector<const trial_result*> trials = usable_samples(row);
      one["to_close"] = in_json(row, average_of(trials, &trial_result::seconds_to_close));
      one["to_disk"] = in_json(row, average_of(trials, &trial_result::seconds_to_disk));
      one["cpu_seconds_per_gb"] = average_of(trials, cpu_seconds_per_gb).mean;
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace freshet::tool
