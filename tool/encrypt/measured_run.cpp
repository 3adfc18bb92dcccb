#include "tool/encrypt/measured_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <thread>

#include "tool/base/json_members.hpp"
#include "tool/base/size.hpp"
#include "tool/measure/clock.hpp"
#include "tool/measure/cpu.hpp"
#include "tool/measure/peak_memory.hpp"

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

template <typename Figures, typename Visitor>
void visit_members(Figures& figures, const Visitor& visitor) {
  visitor("files", figures.files);
  visitor("bytes_read", figures.bytes_read);
  visitor("bytes_written", figures.bytes_written);
  visitor("seconds", figures.seconds);
  visitor("cpu_process", figures.cpu_process);
  visitor("cpu_whole", figures.cpu_whole);
  visitor("peak_memory", figures.peak_memory);
}

}  // namespace

void to_json(nlohmann::json& text, const encryption_figures& figures) {
  visit_members(figures, json_member_writer{text});
}

void from_json(const nlohmann::json& text, encryption_figures& figures) {
  visit_members(figures, json_member_reader{text});
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
          .peak_memory = std::max(one.peak_memory, other.peak_memory)};
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
  return figures;
}

}  // namespace freshet::tool
