#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <string>
#include <string_view>

#include "tool/base/text.hpp"
#include "tool/export/exports.hpp"
#include "tool/export/plans.hpp"
#include "tool/search/statistics.hpp"

namespace freshet::tool {
namespace {

// Escapes text for a cell of a table.
std::string escape(std::string_view text) {
  std::string out;
  for (const char each : replace_controls(text)) {
    if (each == '\n') {
      out += ' ';
      continue;
    }
    if (std::string_view{"\\`*<>[]|&"}.find(each) != std::string_view::npos) out += '\\';
    out += each;
  }
  return out;
}

// The plan, and what keeps it apart from others of its name.
std::string describe_way(const record& first) {
  return escape(first.label) + (purpose_of(first) == trial_purpose::diagnosis ? " (for comparison)" : "") +
         (first.figures.met_slow_memory ? fmt::format(" ({})", slow_memory_words) : "");
}

std::string format_row(const repeated_plan& plan) {
  const record& first = plan.first();
  const std::size_t left_out = plan.trials.size() - plan.counted.size();
  std::string cells = fmt::format("| {} | {} |", describe_way(first), format_size(first.figures.plan.size));
  if (plan.counted.empty()) return cells + fmt::format(" | | | 0 | {} |\n", left_out);
  const estimate rate = estimate_median(plan.collect(&trial_result::ranking_rate));
  const std::string range =
      rate.count > 1 ? fmt::format("{}–{}", format_figure(rate.range.low), format_figure(rate.range.high)) : "";
  return cells + fmt::format(" {} | {} | {:.3f} | {} | {} |\n", format_figure(rate.value), range,
                             median(plan.collect(&trial_result::cpu_per_gb)), plan.counted.size(), left_out);
}

std::string_view describe_clock(io_class measured_class) {
  if (reads(measured_class)) return "until all was read";
  return ranks_by_disk(measured_class) ? "until the device had it" : "until the program could go on";
}

// A heading and the table below it for the plans of one class and workload.
std::string format_table(std::span<const repeated_plan> plans) {
  const record& first = plans.front().first();
  std::string out = fmt::format("## {}, {}\n\n", escape(first.workload), to_string(first.figures.plan.measured_class));
  out += fmt::format(
      "Median MB/s {}, its interval of at least 95 % (fewer than six trials: all lie within the range), and the whole "
      "machine's CPU seconds per GB.\n\n",
      describe_clock(first.figures.plan.measured_class));
  out += "| way | size | MB/s | interval or range | CPU s/GB | trials | left out |\n";
  out += "|---|--:|--:|--:|--:|--:|--:|\n";
  std::map<std::string, unsigned> reasons;
  for (const repeated_plan& plan : plans) {
    out += format_row(plan);
    for (const record* each : plan.trials)
      if (const auto why = find_exclusion_reasons(*each); !why.empty())
        ++reasons[fmt::format("{}", fmt::join(why, "; "))];
  }
  out += '\n';
  for (const auto& [reason, trials] : reasons) out += fmt::format("- {} left out: {}\n", trials, escape(reason));
  if (!reasons.empty()) out += '\n';
  return out;
}

bool share_table(const repeated_plan& first, const repeated_plan& second) {
  return first.first().figures.plan.measured_class == second.first().figures.plan.measured_class &&
         first.first().workload == second.first().workload;
}

std::string format_heading(const run& run) {
  const environment& env = run.env;
  std::string out = fmt::format("# freshet {}\n\n", escape(run.command));
  if (!run.started.empty()) out += fmt::format("- started {}\n", escape(run.started));
  if (!run.words.empty()) out += fmt::format("- as {}\n", escape(run.words));
  out += fmt::format("- on {}, {} CPUs, {}\n", escape(env.machine), env.cpus, escape(env.kernel));
  out += fmt::format("- in {}: {} ({}){}\n", escape(env.directory), escape(env.file_system), escape(env.mount_options),
                     env.device.empty() ? "" : " on " + escape(env.device));
  return out + fmt::format("- freshet {}\n\n", escape(env.version));
}

}  // namespace

std::string export_markdown(const run& run, std::span<const record> records) {
  std::string out = format_heading(run);
  const std::vector<repeated_plan> plans = group_by_plan(records);
  for (auto begin = plans.begin(); begin != plans.end();) {
    const auto end =
        std::find_if_not(begin, plans.end(), [&](const repeated_plan& each) { return share_table(*begin, each); });
    out += format_table({begin, end});
    begin = end;
  }
  return out;
}

}  // namespace freshet::tool
