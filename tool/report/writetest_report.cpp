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
#include "tool/search/usable_samples.hpp"

namespace freshet::tool {
namespace {

constexpr double mb = 1 << 20;
constexpr std::string_view line_layout = "{:<10}  {:<{}}  {:>5}  {:>8}  {:>7}  {:>10}  {:>9}\n";

// A figure's mean, as in the original program, and its extremes.
struct average {
  double mean = 0;
  double least = 0;
  double most = 0;
};

// Precondition: `trials` is not empty.
template <typename Figure>
average compute_average(const std::vector<const trial_result*>& trials, Figure figure) {
  std::vector<double> values;
  for (const trial_result* trial : trials) values.push_back(std::invoke(figure, *trial));
  const auto [least, most] = std::ranges::minmax(values);
  return {std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()), least, most};
}

// Bytes per second in the mean time.
double compute_rate(const measured_plan& row, const average& seconds) {
  return static_cast<double>(row.plan.size) / seconds.mean;
}

// The slowest and the fastest round, in MB/s.
std::string format_rate_range(const measured_plan& row, const average& seconds) {
  if (seconds.least == seconds.most) return "-";
  const double size = static_cast<double>(row.plan.size) / mb;
  return fmt::format("{}-{}", format_figure(size / seconds.most), format_figure(size / seconds.least));
}

std::vector<std::string> make_cells(const measured_plan& row, const screen& look) {
  const std::vector<const trial_result*> trials = usable_samples(row);
  const average close = compute_average(trials, &trial_result::seconds_to_close);
  const average disk = compute_average(trials, &trial_result::seconds_to_disk);
  return {painted(has_valid_trial(row) ? "" : "!", colour::bad, look),
          writetest_name(row.plan),
          format_figure(close.mean),
          fmt::format("{:.0f}", compute_rate(row, close)),
          format_figure(compute_rate(row, close) / mb),
          format_rate_range(row, close),
          format_figure(disk.mean),
          format_figure(compute_rate(row, disk) / mb),
          format_rate_range(row, disk),
          format_figure(compute_average(trials, &trial_result::cpu_per_gb).mean)};
}

// Groups the methods by fault, because usually all of them have the same.
std::string format_method_faults(std::span<const measured_plan> rows) {
  std::vector<std::pair<std::string, std::string>> names_by_fault;
  for (const measured_plan& row : rows)
    for (const std::string& fault : {summarize_faults(row), row.why_not.empty() ? "" : "failed: " + row.why_not}) {
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

std::string format_title(write_phase phase, target_kind target) {
  return fmt::format("{}, {} files",
                     phase == write_phase::cycle ? "Cycle: all methods in turn" : "Sequential: method by method",
                     target == target_kind::fresh ? "new" : "over existing");
}

nlohmann::json in_json(const measured_plan& row, const average& seconds) {
  const auto size = static_cast<double>(row.plan.size);
  return {{"mean_seconds", seconds.mean},
          {"bytes_per_second", compute_rate(row, seconds)},
          {"mib_per_second", compute_rate(row, seconds) / mb},
          {"slowest_mib_per_second", size / seconds.most / mb},
          {"fastest_mib_per_second", size / seconds.least / mb}};
}

}  // namespace

std::string_view to_string(write_phase phase) { return phase == write_phase::cycle ? "cycle" : "sequential"; }

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
  const trial_result& trial = row.trials.back();
  const double size = static_cast<double>(trial.bytes) / mb;
  std::string text =
      fmt::format(line_layout, to_string(phase), name, name_width_, round, format_figure(size / trial.seconds_to_close),
                  format_figure(size / trial.seconds_to_disk), format_figure(trial.seconds_to_close),
                  format_figure(trial.seconds_to_disk));
  if (trial.validity == trial_validity::invalid)
    text += wrapped(fmt::format("{} invalid: {}", painted("!", colour::bad, look), trial.reasons.front()), 4);
  return text;
}

std::string format_writetest_averages(write_phase phase, std::span<const measured_plan> rows, const screen& look) {
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
    if (!row.trials.empty()) list.add(make_cells(row, look));
  return fmt::format("{}\n{}{}", format_title(phase, rows.front().plan.target), list.text(look.width),
                     format_method_faults(rows));
}

nlohmann::json averages_in_json(std::span<const measured_plan> rows) {
  nlohmann::json all = nlohmann::json::array();
  for (const measured_plan& row : rows) {
    nlohmann::json one = {{"method", writetest_name(row.plan)},
                          {"plan", row.plan},
                          {"trials", row.trials.size()},
                          {"why_not", row.why_not},
                          {"fault", summarize_faults(row)}};
    if (!row.trials.empty()) {
      const std::vector<const trial_result*> trials = usable_samples(row);
      one["to_close"] = in_json(row, compute_average(trials, &trial_result::seconds_to_close));
      one["to_disk"] = in_json(row, compute_average(trials, &trial_result::seconds_to_disk));
      one["cpu_seconds_per_gb"] = compute_average(trials, &trial_result::cpu_per_gb).mean;
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace freshet::tool
