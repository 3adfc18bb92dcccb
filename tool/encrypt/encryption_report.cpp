#include "tool/encrypt/encryption_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tool/encrypt/manifest.hpp"

namespace freshet::tool {
namespace {

trial_result make_trial(const encryption_report& report) {
  const encryption_figures& figures = report.figures;
  trial_result trial;
  trial.plan = {
      .method = std::string{name_of(report.plan.how)}, .size = figures.bytes_read, .jobs = report.plan.threads};
  trial.method = trial.plan.method;
  trial.started = report.started;
  trial.bytes = figures.bytes_read;
  trial.bytes_written = figures.bytes_written;
  trial.seconds_to_close = figures.seconds;
  trial.cpu_process = figures.cpu_process;
  trial.cpu_whole = figures.cpu_whole;
  trial.peak_memory = figures.peak_memory;
  if (report.cold && !report.cold->proven) {
    trial.validity = trial_validity::invalid;
    trial.reasons = report.cold->faults;
  }
  return trial;
}

}  // namespace

void to_json(nlohmann::json& text, const eviction& result) {
  text = {{"proven", result.proven}, {"faults", result.faults}, {"gaps", result.gaps}};
}

void from_json(const nlohmann::json& text, eviction& result) {
  text.at("proven").get_to(result.proven);
  text.at("faults").get_to(result.faults);
  text.at("gaps").get_to(result.gaps);
}

record make_record(const encryption_report& report) {
  const encryption_plan& plan = report.plan;
  record stored;
  stored.workload = "lines";
  stored.method = name_of(plan.how);
  stored.label = fmt::format("{}, {}, work {}", stored.method, format_threads(plan.threads), plan.cipher.work);
  stored.plan = {{"in", report.in},
                 {"files", report.figures.files},
                 {"strategy", stored.method},
                 {"threads", plan.threads},
                 {"work", plan.cipher.work},
                 {"cipher", name_of(plan.cipher.cipher)},
                 {"decrypt", plan.cipher.decrypt},
                 {"streams", name_of(plan.streams)},
                 {"cache", report.cold ? "cold" : "as found"},
                 {"ranks", report.ranks}};
  stored.more = {{"out", report.out},
                 {"why", report.why},
                 {"bytes_out", report.figures.bytes_written},
                 {"finished_before", report.finished_before}};
  stored.figures = make_trial(report);
  return stored;
}

}  // namespace freshet::tool
