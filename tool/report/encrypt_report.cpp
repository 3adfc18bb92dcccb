#include "tool/report/encrypt_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include <freshet/version.hpp>

#include "tool/base/size.hpp"
#include "tool/encrypt/manifest.hpp"

namespace freshet::tool {
namespace {

double rate_of(const encryption_figures& figures) {
  return static_cast<double>(figures.bytes_read) / 1e6 / figures.seconds;
}

double cpu_per_gb(const encryption_figures& figures) {
  return figures.cpu_whole / (static_cast<double>(figures.bytes_read) / 1e9);
}

std::string headline(const encryption_report& report) {
  const encryption_plan& plan = report.plan;
  const bool has_streams = plan.how == strategy::streaming || plan.how == strategy::buffering;
  return fmt::format("{}: {} files {}crypted, {} x {}, by {}{}, {}{}\n", report.out, report.figures.files,
                     plan.cipher.decrypt ? "de" : "en", plan.cipher.work, name_of(plan.cipher.cipher),
                     name_of(plan.how),
                     has_streams && plan.streams == stream_kind::freshet ? " on freshet's streams" : "",
                     report.ranks == 1 ? "" : fmt::format("{} processes of ", report.ranks),
                     plan.threads == 1 ? "1 thread" : fmt::format("{} threads", plan.threads));
}

std::string_view streams_of(const encryption_plan& plan) {
  return plan.streams == stream_kind::std ? "std" : "freshet";
}

trial_result figures_of(const encryption_report& report) {
  const encryption_figures& figures = report.figures;
  trial_result made;
  made.plan = {
      .method = std::string{name_of(report.plan.how)}, .size = figures.bytes_read, .jobs = report.plan.threads};
  made.method = made.plan.method;
  made.started = report.started;
  made.bytes = figures.bytes_read;
  made.bytes_written = figures.bytes_written;
  made.seconds_to_close = figures.seconds;
  made.cpu_process = figures.cpu_process;
  made.cpu_whole = figures.cpu_whole;
  made.peak_memory = figures.peak_memory;
  if (report.cold && !report.cold->proven) {
    made.validity = trial_validity::invalid;
    made.reasons = report.cold->faults;
  }
  return made;
}

std::string eviction_verdict(const eviction& cold) {
  std::string text =
      cold.proven ? "  input   cold, proven\n" : fmt::format("  invalid: {}\n", fmt::join(cold.faults, "; "));
  if (!cold.gaps.empty()) text += fmt::format("          but for {}\n", fmt::join(cold.gaps, "; "));
  return text;
}

}  // namespace

std::string to_text(const encryption_report& report) {
  const encryption_figures& figures = report.figures;
  std::string text = headline(report);
  if (!report.why.empty()) text += fmt::format("  chosen  {}\n", report.why);
  if (report.finished_before != 0)
    text += fmt::format("  before  {} files were finished already\n", report.finished_before);
  text += fmt::format("  bytes   {} in, {} out\n", figures.bytes_read, figures.bytes_written);
  text += fmt::format("  speed   {} MB/s of input, {:.3f} s\n", format_figure(rate_of(figures)), figures.seconds);
  text += fmt::format("  CPU     {:.3f} s, {:.3f} s with the kernel's threads: {} s/GB\n", figures.cpu_process,
                      figures.cpu_whole, format_figure(cpu_per_gb(figures)));
  text += fmt::format("  memory  {}\n", figures.peak_memory ? format_size(*figures.peak_memory) + " at most" : "-");
  if (report.cold) text += eviction_verdict(*report.cold);
  return text;
}

void to_json(nlohmann::json& text, const eviction& made) {
  text = {{"proven", made.proven}, {"faults", made.faults}, {"gaps", made.gaps}};
}

void from_json(const nlohmann::json& text, eviction& made) {
  text.at("proven").get_to(made.proven);
  text.at("faults").get_to(made.faults);
  text.at("gaps").get_to(made.gaps);
}

void to_json(nlohmann::json& text, const encryption_report& report) {
  const encryption_plan& plan = report.plan;
  text = report.figures;
  text["freshet"] = std::string{version()};
  text["in"] = report.in;
  text["out"] = report.out;
  text["strategy"] = name_of(plan.how);
  text["why"] = report.why;
  text["threads"] = plan.threads;
  text["ranks"] = report.ranks;
  text["cipher"] = name_of(plan.cipher.cipher);
  text["work"] = plan.cipher.work;
  text["decrypt"] = plan.cipher.decrypt;
  text["streams"] = streams_of(plan);
  text["finished_before"] = report.finished_before;
  text["mb_per_second"] = report.figures.seconds > 0 ? nlohmann::json(rate_of(report.figures)) : nullptr;
  text["cpu_s_per_gb"] = report.figures.bytes_read > 0 ? nlohmann::json(cpu_per_gb(report.figures)) : nullptr;
  text["valid"] = !report.cold || report.cold->proven;
  text["cold"] = report.cold ? nlohmann::json(*report.cold) : nullptr;
}

record make_record(const encryption_report& report) {
  const encryption_plan& plan = report.plan;
  record kept;
  kept.workload = "lines";
  kept.method = name_of(plan.how);
  kept.label = fmt::format("{}, {}, work {}", kept.method,
                           plan.threads == 1 ? "1 thread" : fmt::format("{} threads", plan.threads), plan.cipher.work);
  kept.plan = {{"in", report.in},
               {"files", report.figures.files},
               {"strategy", kept.method},
               {"threads", plan.threads},
               {"work", plan.cipher.work},
               {"cipher", name_of(plan.cipher.cipher)},
               {"decrypt", plan.cipher.decrypt},
               {"streams", streams_of(plan)},
               {"cache", report.cold ? "cold" : "as found"},
               {"ranks", report.ranks}};
  kept.more = {{"out", report.out},
               {"why", report.why},
               {"bytes_out", report.figures.bytes_written},
               {"finished_before", report.finished_before}};
  kept.figures = figures_of(report);
  return kept;
}

}  // namespace freshet::tool
