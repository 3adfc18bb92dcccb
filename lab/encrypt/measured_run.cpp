#include "lab/encrypt/measured_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <freshet/error.hpp>
#include <mutex>
#include <stop_token>
#include <thread>

#include "lab/encrypt/manifest.hpp"
#include "tool/base/clock.hpp"
#include "tool/base/option_names.hpp"
#include "tool/base/text.hpp"
#include "tool/measure/cpu.hpp"
#include "tool/measure/process.hpp"

namespace freshet::tool {
namespace {

// Reports the progress of a job from a thread of its own until it is destroyed.
class progress_watch {
 public:
  progress_watch(const encryption_job& job, const encryption_progress& done, const progress_listener& listener)
      : done_{done},
        listener_{listener},
        files_{job.files.size()},
        bytes_{count_bytes(job)},
        thread_{[this](const std::stop_token& stop) { watch(stop); }} {}

 private:
  static std::uint64_t count_bytes(const encryption_job& job) {
    std::uint64_t bytes = 0;
    for (const input_file& file : job.files) bytes += file.size;
    return bytes;
  }

  void watch(const std::stop_token& stop) {
    const stopwatch since;
    std::mutex mutex;
    std::unique_lock lock{mutex};
    std::condition_variable_any ended;
    constexpr std::chrono::milliseconds pause{200};
    do report(since.seconds());
    while (!ended.wait_for(lock, stop, pause, [&] { return stop.stop_requested(); }));
  }

  void report(double seconds) const {
    const auto bytes = static_cast<double>(done_.bytes_read.load());
    const double left = bytes > 0 ? seconds * (static_cast<double>(bytes_) - bytes) / bytes : -1;
    listener_(fmt::format("{} of {} files, {} MB/s", done_.files.load(), files_, format_figure(bytes / 1e6 / seconds)),
              left);
  }

  const encryption_progress& done_;
  const progress_listener& listener_;
  std::size_t files_;
  std::uint64_t bytes_;
  std::jthread thread_;  // last, because it uses all other members
};

// Of its inputs and outputs; empty if the system does not tell those of each.
std::optional<std::uint64_t> bytes_in_page_cache(const encryption_job& job) {
  std::vector<std::filesystem::path> paths;
  for (const input_file& file : job.files) {
    paths.push_back(job.in / file.name);
    paths.push_back(job.out / file.name);
  }
  try {
    return visible_bytes_in_cache(paths);
  } catch (const error&) {
    return {};  // one was removed meanwhile
  }
}

// What the user asked for of it, so that equal plans of earlier versions stay equal.
void add_file_use(record& stored, const file_use& files) {
  if (files.access) {
    stored.label += fmt::format(", access {}", to_string(*files.access));
    stored.plan["access"] = to_string(*files.access);
  }
  if (files.caching != caching::automatic) {
    stored.label += fmt::format(", caching {}", to_string(files.caching));
    stored.plan["caching"] = to_string(files.caching);
  }
  if (files.buffer != 0) {
    stored.label += fmt::format(", buffers of {}", format_size(files.buffer));
    stored.plan["buffer"] = files.buffer;
  }
}

trial_result make_trial(const encryption_report& report) {
  const encryption_figures& figures = report.figures;
  trial_result trial;
  trial.plan = {
      .method = std::string{to_string(report.plan.how)}, .size = figures.bytes_read, .jobs = report.plan.threads};
  trial.method = trial.plan.method;
  trial.started = report.started;
  trial.bytes = figures.bytes_read;
  trial.bytes_written = figures.bytes_written;
  trial.seconds_to_close = figures.seconds;
  trial.cpu_process = figures.cpu_process;
  trial.cpu_whole = figures.cpu_whole;
  trial.peak_memory = figures.peak_memory;
  trial.page_cache = figures.page_cache;
  if (report.cold && !report.cold->proven) {
    trial.validity = trial_validity::invalid;
    trial.reasons = report.cold->reasons;
  }
  return trial;
}

}  // namespace

void to_json(nlohmann::json& out, const eviction& cold) {
  out = {{"proven", cold.proven}, {"faults", cold.reasons}, {"gaps", cold.caveats}};
}

void from_json(const nlohmann::json& in, eviction& cold) {
  in.at("proven").get_to(cold.proven);
  in.at("faults").get_to(cold.reasons);
  in.at("gaps").get_to(cold.caveats);
}

// The kernel's threads work for all processes of a machine, so their time is not added up: the largest one counts.
encryption_figures combine(const encryption_figures& one, const encryption_figures& other) {
  const double kernel = std::max(one.cpu_whole - one.cpu_process, other.cpu_whole - other.cpu_process);
  return {.files = one.files + other.files,
          .bytes_read = one.bytes_read + other.bytes_read,
          .bytes_written = one.bytes_written + other.bytes_written,
          .seconds = std::max(one.seconds, other.seconds),
          .cpu_process = one.cpu_process + other.cpu_process,
          .cpu_whole = one.cpu_process + other.cpu_process + kernel,
          .peak_memory = std::max(one.peak_memory, other.peak_memory),
          .page_cache = one.page_cache && other.page_cache ? std::optional{*one.page_cache + *other.page_cache}
                                                           : std::max(one.page_cache, other.page_cache)};
}

encryption_figures measure_encryption(const encryption_job& job, const progress_listener& listener) {
  const idle_baseline idle;
  encryption_progress done;
  std::optional<progress_watch> watch_of_progress;
  if (listener) watch_of_progress.emplace(job, done, listener);
  const peak_memory memory;
  const cpu_meter cpu{idle};
  const stopwatch watch;
  encrypt(job, done);
  encryption_figures figures;
  figures.seconds = watch.seconds();
  figures.files = done.files;
  figures.bytes_read = done.bytes_read;
  figures.bytes_written = done.bytes_written;
  const cpu_usage usage = cpu.stop();
  figures.cpu_process = usage.process;
  figures.cpu_whole = usage.whole;
  figures.peak_memory = memory.bytes();
  figures.page_cache = bytes_in_page_cache(job);
  return figures;
}

record make_record(const encryption_report& report) {
  const encryption_plan& plan = report.plan;
  record stored;
  stored.workload = "lines";
  stored.method = to_string(plan.how);
  stored.label = fmt::format("{}, {}, work {}", stored.method, format_count(plan.threads, "thread"), plan.cipher.work);
  stored.plan = {{"in", report.in},
                 {"files", report.figures.files},
                 {"strategy", stored.method},
                 {"threads", plan.threads},
                 {"work", plan.cipher.work},
                 {"cipher", to_string(plan.cipher.cipher)},
                 {"decrypt", plan.cipher.decrypt},
                 {"streams", to_string(plan.streams)},
                 {"cache", report.cold ? "cold" : "as found"},
                 {"ranks", report.ranks}};
  add_file_use(stored, plan.files);
  stored.extra = {{"out", report.out},
                  {"why", report.why},
                  {"bytes_out", report.figures.bytes_written},
                  {"cpu_to_close", report.figures.cpu_process},
                  {"finished_before", report.finished_before}};
  stored.figures = make_trial(report);
  return stored;
}

}  // namespace freshet::tool
