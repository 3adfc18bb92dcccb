#include "lab/encrypt/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include <freshet/version.hpp>

#include "lab/encrypt/manifest.hpp"
#include "tool/base/option_names.hpp"
#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

double compute_rate(const encryption_figures& figures) {
  return static_cast<double>(figures.bytes_read) / 1e6 / figures.seconds;
}

double compute_cpu_per_gb(const encryption_figures& figures) {
  return figures.cpu_whole / (static_cast<double>(figures.bytes_read) / 1e9);
}

std::string format_headline(const encryption_report& report) {
  const encryption_plan& plan = report.plan;
  const bool has_streams = plan.how == strategy::streaming || plan.how == strategy::buffering;
  return fmt::format(
      "{}: {} files {}crypted, {} x {}, strategy {}{}, {}{}\n", printable(report.out), report.figures.files,
      plan.cipher.decrypt ? "de" : "en", plan.cipher.work, to_string(plan.cipher.cipher), to_string(plan.how),
      has_streams && plan.streams == stream_kind::freshet ? " with freshet's streams" : "",
      report.ranks == 1 ? "" : fmt::format("{} processes of ", report.ranks), format_count(plan.threads, "thread"));
}

std::string format_eviction(const eviction& cold) {
  std::string text =
      cold.proven ? "  input   cold, proven\n" : fmt::format("  invalid: {}\n", fmt::join(cold.reasons, "; "));
  if (!cold.caveats.empty()) text += fmt::format("          note: {}\n", fmt::join(cold.caveats, "; "));
  return text;
}

}  // namespace

std::string to_text(const encryption_report& report) {
  const encryption_figures& figures = report.figures;
  std::string text = format_headline(report);
  if (!report.why.empty()) text += fmt::format("  chosen  {}\n", report.why);
  if (report.finished_before != 0)
    text += fmt::format("  before  {} files were already finished\n", report.finished_before);
  text += fmt::format("  bytes   {} in, {} out\n", figures.bytes_read, figures.bytes_written);
  text += fmt::format("  speed   {} MB/s of input, {:.3f} s\n", format_figure(compute_rate(figures)), figures.seconds);
  text += fmt::format("  CPU     {:.3f} s, {:.3f} s with the kernel's threads: {} s/GB\n", figures.cpu_process,
                      figures.cpu_whole, format_figure(compute_cpu_per_gb(figures)));
  const auto size = [](std::optional<std::uint64_t> bytes) { return bytes ? format_size(*bytes) : "-"; };
  text += fmt::format("  memory  {} at most; {} of inputs and outputs in the page cache afterwards\n",
                      size(figures.peak_memory), size(figures.page_cache));
  if (report.cold) text += format_eviction(*report.cold);
  if (report.verified)
    text += fmt::format("  verified: {} hold what their inputs become\n", format_count(*report.verified, "file"));
  return text;
}

void to_json(nlohmann::json& text, const encryption_report& report) {
  const encryption_plan& plan = report.plan;
  text = report.figures;
  text["freshet"] = std::string{version()};
  text["in"] = report.in;
  text["out"] = report.out;
  text["strategy"] = to_string(plan.how);
  text["why"] = report.why;
  text["threads"] = plan.threads;
  text["ranks"] = report.ranks;
  text["cipher"] = to_string(plan.cipher.cipher);
  text["work"] = plan.cipher.work;
  text["decrypt"] = plan.cipher.decrypt;
  text["streams"] = to_string(plan.streams);
  text["access"] = plan.files.access ? nlohmann::json(to_string(*plan.files.access)) : nullptr;
  text["caching"] = to_string(plan.files.caching);
  text["buffer"] = plan.files.buffer;
  text["finished_before"] = report.finished_before;
  text["mb_per_second"] = report.figures.seconds > 0 ? nlohmann::json(compute_rate(report.figures)) : nullptr;
  text["cpu_s_per_gb"] = report.figures.bytes_read > 0 ? nlohmann::json(compute_cpu_per_gb(report.figures)) : nullptr;
  text["valid"] = !report.cold || report.cold->proven;
  text["verified"] = report.verified ? nlohmann::json(*report.verified) : nullptr;
  text["cold"] = report.cold ? nlohmann::json(*report.cold) : nullptr;
}

}  // namespace freshet::tool
