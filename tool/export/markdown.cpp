#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <string>
#include <string_view>

#include "tool/base/size.hpp"
#include "tool/export/formats.hpp"
#include "tool/export/plans.hpp"
#include "tool/search/statistics.hpp"

namespace freshet::tool {
namespace {

// Text that stays text, and in its cell.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char each : text) {
    if (each == '\n' || each == '\r') {
      out += ' ';
      continue;
    }
    if (std::string_view{"\\`*<>[]|&"}.find(each) != std::string_view::npos) out += '\\';
    out += each;
  }
  return out;
}

estimate rate_of(const repeated& plan) {
  std::vector<double> rates;
  for (const record* each : plan.counted) rates.push_back(ranking_rate(*each));
  return estimate_median(rates);
}

double median_cpu(const repeated& plan) {
  std::vector<double> bills;
  for (const record* each : plan.counted) bills.push_back(cpu_per_gb(*each));
  return median(std::move(bills));
}

std::string row_of(const repeated& plan) {
  const record& any = plan.any();
  const std::size_t left_out = plan.trials.size() - plan.counted.size();
  std::string cells = fmt::format("| {} | {} |", escaped(any.label), format_size(any.figures.plan.size));
  if (plan.counted.empty()) return cells + fmt::format(" | | | 0 | {} |\n", left_out);
  const estimate rate = rate_of(plan);
  const std::string range =
      rate.count > 1 ? fmt::format("{}–{}", format_figure(rate.range.low), format_figure(rate.range.high)) : "";
  return cells + fmt::format(" {} | {} | {:.3f} | {} | {} |\n", format_figure(rate.value), range, median_cpu(plan),
                             plan.counted.size(), left_out);
}

std::string_view clock_of(io_class what) {
  if (reads(what)) return "until all was read";
  return ranks_by_disk(what) ? "until the device had it" : "until the program could go on";
}

// A heading and the table below it for the plans of one class and workload.
std::string table_of(std::span<const repeated> plans) {
  const record& any = plans.front().any();
  std::string out = fmt::format("## {}, {}\n\n", escaped(any.workload), to_string(any.figures.plan.what));
  out += fmt::format("Median MB/s {}, its 95 % interval, and the whole machine's CPU seconds per GB.\n\n",
                     clock_of(any.figures.plan.what));
  out += "| way | size | MB/s | 95 % | CPU s/GB | trials | left out |\n";
  out += "|---|--:|--:|--:|--:|--:|--:|\n";
  std::map<std::string, unsigned> reasons;
  for (const repeated& plan : plans) {
    out += row_of(plan);
    for (const record* each : plan.trials)
      if (const auto why = left_out_for(*each); !why.empty()) ++reasons[fmt::format("{}", fmt::join(why, "; "))];
  }
  out += '\n';
  for (const auto& [reason, trials] : reasons) out += fmt::format("- {} left out: {}\n", trials, escaped(reason));
  if (!reasons.empty()) out += '\n';
  return out;
}

bool stand_together(const repeated& first, const repeated& second) {
  return first.any().figures.plan.what == second.any().figures.plan.what &&
         first.any().workload == second.any().workload;
}

std::string heading_of(const run& about) {
  const environment& here = about.env;
  std::string out = fmt::format("# freshet {}\n\n", escaped(about.command));
  if (!about.started.empty()) out += fmt::format("- started {}\n", escaped(about.started));
  if (!about.words.empty()) out += fmt::format("- as {}\n", escaped(about.words));
  out += fmt::format("- on {}, {} CPUs, {}\n", escaped(here.machine), here.cpus, escaped(here.kernel));
  out += fmt::format("- in {}: {} ({}){}\n", escaped(here.directory), escaped(here.file_system),
                     escaped(here.mount_options), here.device.empty() ? "" : " on " + escaped(here.device));
  return out + fmt::format("- freshet {}\n\n", escaped(here.version));
}

}  // namespace

std::string markdown_export(const run& about, std::span<const record> made) {
  std::string out = heading_of(about);
  const std::vector<repeated> plans = by_plan(made);
  for (auto begin = plans.begin(); begin != plans.end();) {
    const auto end =
        std::find_if_not(begin, plans.end(), [&](const repeated& each) { return stand_together(*begin, each); });
    out += table_of({begin, end});
    begin = end;
  }
  return out;
}

}  // namespace freshet::tool
