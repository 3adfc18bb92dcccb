#include "lab/writetest/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "tool/base/text.hpp"
#include "tool/report/table.hpp"
#include "tool/search/reasons.hpp"
#include "tool/search/statistics.hpp"

namespace freshet::tool {
namespace {

constexpr double mb = 1 << 20;
constexpr std::string_view line_layout = "{:<10}  {:<14}  {:>5}  {:>8}  {:>7}  {:>10}  {:>9}\n";

template <typename Figure>
spread summarize(const candidate& row, Figure figure) {
  return compute_spread(collect(samples_to_show(row), figure));
}

// The mean of a time, as in the original program, and the rates in MB/s that follow from it and from its extremes.
struct average_time {
  average_time(const candidate& row, double trial_result::*clock) {
    const spread time = summarize(row, clock);
    const double size = static_cast<double>(row.plan.size) / mb;
    seconds = time.mean;
    rate = size / time.mean;
    slowest = size / time.most;
    fastest = size / time.least;
  }

  double seconds = 0;
  double rate = 0;
  double slowest = 0;
  double fastest = 0;
};

std::string format_range(const average_time& time) {
  if (time.slowest == time.fastest) return "-";
  return fmt::format("{}-{}", format_figure(time.slowest), format_figure(time.fastest));
}

std::vector<std::string> make_cells(const candidate& row, const screen& look) {
  const average_time close{row, &trial_result::seconds_to_close};
  const average_time disk{row, &trial_result::seconds_to_disk};
  return {painted(count_usable(row) > 0 ? "" : "!", colour::bad, look),
          writetest_name(row.plan),
          format_figure(close.seconds),
          fmt::format("{:.0f}", close.rate * mb),
          format_figure(close.rate),
          format_range(close),
          format_figure(disk.seconds),
          format_figure(disk.rate),
          format_range(disk),
          format_figure(summarize(row, &trial_result::cpu_per_gb).mean)};
}

// Groups the methods by fault, because usually all of them have the same.
std::string format_method_faults(std::span<const candidate> rows) {
  std::map<std::string, std::vector<std::string>> names_by_fault;
  for (const candidate& row : rows) {
    const std::string name = writetest_name(row.plan);
    if (const std::string fault = summarize_faults(row); !fault.empty()) names_by_fault[fault].push_back(name);
    if (!row.dropped.empty()) names_by_fault["failed: " + row.dropped].push_back(name);
  }
  std::string text;
  for (const auto& [fault, names] : names_by_fault)
    text += wrapped(fmt::format("{}: {}", fmt::join(names, ", "), fault));
  return text;
}

nlohmann::json make_json(const average_time& time) {
  return {{"mean_seconds", time.seconds},
          {"bytes_per_second", time.rate * mb},
          {"mib_per_second", time.rate},
          {"slowest_mib_per_second", time.slowest},
          {"fastest_mib_per_second", time.fastest}};
}

}  // namespace

std::string_view to_string(write_phase phase) { return phase == write_phase::cycle ? "cycle" : "sequential"; }

std::string writetest_name(const trial_plan& plan) { return plan.method == "buffered" ? "genio" : plan.method; }

std::string format_write_heading() {
  return fmt::format(line_layout, "", "", "", "to close", "to disk", "to close", "to disk") +
         fmt::format(line_layout, "phase", "method", "round", "MB/s", "MB/s", "seconds", "seconds");
}

std::string format_write(write_phase phase, const candidate& row, std::string_view round, const screen& look) {
  const std::string name = writetest_name(row.plan);
  if (!row.dropped.empty())
    return fmt::format("{:<10}  {:<14}  {:>5}  {}\n", to_string(phase), name, round,
                       painted("failed: " + row.dropped, colour::bad, look));
  const trial_result& trial = row.trials.back();
  const double size = static_cast<double>(trial.bytes) / mb;
  std::string text =
      fmt::format(line_layout, to_string(phase), name, round, format_figure(size / trial.seconds_to_close),
                  format_figure(size / trial.seconds_to_disk), format_figure(trial.seconds_to_close),
                  format_figure(trial.seconds_to_disk));
  if (trial.validity == trial_validity::invalid)
    text += wrapped(fmt::format("{} invalid: {}", painted("!", colour::bad, look), trial.reasons.front()), 4);
  return text;
}

std::string format_writetest_averages(write_phase phase, std::span<const candidate> rows, const screen& look) {
  using enum table::side;
  table list{{{"", left},
              {"method", left, true},
              {"seconds"},
              {"bytes/s"},
              {"MB/s"},
              {"from-to"},
              {"disk s"},
              {"MB/s"},
              {"from-to"},
              {"CPU s/GB"}}};
  for (const candidate& row : rows)
    if (!row.trials.empty()) list.add(make_cells(row, look));
  return fmt::format("{}, {} files\n{}{}",
                     phase == write_phase::cycle ? "Cycle: all methods in turn" : "Sequential: method by method",
                     rows.front().plan.target == target_kind::fresh ? "new" : "over existing", list.text(look.width),
                     format_method_faults(rows));
}

nlohmann::json writetest_averages(std::span<const candidate> rows) {
  nlohmann::json all = nlohmann::json::array();
  for (const candidate& row : rows) {
    all.push_back({{"method", writetest_name(row.plan)},
                   {"plan", row.plan},
                   {"trials", row.trials.size()},
                   {"why_not", row.dropped},
                   {"fault", summarize_faults(row)}});
    if (row.trials.empty()) continue;
    all.back()["to_close"] = make_json(average_time{row, &trial_result::seconds_to_close});
    all.back()["to_disk"] = make_json(average_time{row, &trial_result::seconds_to_disk});
    all.back()["cpu_seconds_per_gb"] = summarize(row, &trial_result::cpu_per_gb).mean;
  }
  return all;
}

}  // namespace freshet::tool
