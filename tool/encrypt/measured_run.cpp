#include "tool/encrypt/measured_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <thread>

#include "tool/base/size.hpp"
#include "tool/measure/clock.hpp"
#include "tool/measure/cpu.hpp"
#include "tool/measure/peak_memory.hpp"
#include "tool/report/progress.hpp"

namespace freshet::tool {
namespace {

// Shows how far a job is, from a thread of its own until it is destroyed.
class progress_watch {
 public:
  progress_watch(const encryption_job& job, const encryption_progress& done)
      : done_{done}, files_{job.files.size()}, thread_{[this](const std::stop_token& stop) { watch(stop); }} {
    for (const input_file& file : job.files) bytes_ += file.size;
  }

 private:
  void watch(const std::stop_token& stop) {
    const stopwatch since;
    progress line;
    std::mutex mutex;
    std::unique_lock lock{mutex};
    std::condition_variable_any ended;
    constexpr std::chrono::milliseconds pause{200};
    do show(line, since.seconds());
    while (!ended.wait_for(lock, stop, pause, [&] { return stop.stop_requested(); }));
  }

  void show(progress& line, double seconds) const {
    const auto bytes = static_cast<double>(done_.bytes_read.load());
    const double left = bytes > 0 ? seconds * (static_cast<double>(bytes_.load()) - bytes) / bytes : -1;
    line.show(fmt::format("{} of {} files, {} MB/s", done_.files.load(), files_, format_figure(bytes / 1e6 / seconds)),
              left);
  }

  const encryption_progress& done_;
  std::size_t files_;
  std::atomic<std::uint64_t> bytes_ = 0;
  std::jthread thread_;  // the last: it uses all others
};

}  // namespace

void to_json(nlohmann::json& text, const encryption_figures& figures) {
  text = {{"files", figures.files},     {"bytes_read", figures.bytes_read},   {"bytes_written", figures.bytes_written},
          {"seconds", figures.seconds}, {"cpu_process", figures.cpu_process}, {"cpu_whole", figures.cpu_whole},
          {"peak_memory", nullptr}};
  if (figures.peak_memory) text["peak_memory"] = *figures.peak_memory;
}

void from_json(const nlohmann::json& text, encryption_figures& figures) {
  text.at("files").get_to(figures.files);
  text.at("bytes_read").get_to(figures.bytes_read);
  text.at("bytes_written").get_to(figures.bytes_written);
  text.at("seconds").get_to(figures.seconds);
  text.at("cpu_process").get_to(figures.cpu_process);
  text.at("cpu_whole").get_to(figures.cpu_whole);
  if (!text.at("peak_memory").is_null()) figures.peak_memory = text.at("peak_memory").get<std::uint64_t>();
}

// The kernel's threads work for all processes of a machine: their bill is not added up, the largest one counts.
encryption_figures together(const encryption_figures& one, const encryption_figures& other) {
  const double kernel = std::max(one.cpu_whole - one.cpu_process, other.cpu_whole - other.cpu_process);
  return {.files = one.files + other.files,
          .bytes_read = one.bytes_read + other.bytes_read,
          .bytes_written = one.bytes_written + other.bytes_written,
          .seconds = std::max(one.seconds, other.seconds),
          .cpu_process = one.cpu_process + other.cpu_process,
          .cpu_whole = one.cpu_process + other.cpu_process + kernel,
          .peak_memory = std::max(one.peak_memory, other.peak_memory)};
}

encryption_figures encrypt_measured(const encryption_job& job, bool shows_progress) {
  const idle_baseline idle;
  encryption_progress done;
  std::optional<progress_watch> shown;
  if (shows_progress) shown.emplace(job, done);
  const peak_memory memory;
  const cpu_meter cpu{idle};
  const stopwatch watch;
  encrypt(job, done);
  encryption_figures made;
  made.seconds = watch.seconds();
  made.files = done.files;
  made.bytes_read = done.bytes_read;
  made.bytes_written = done.bytes_written;
  const cpu_bill bill = cpu.stop();
  made.cpu_process = bill.process;
  made.cpu_whole = bill.whole;
  made.peak_memory = memory.bytes();
  return made;
}

}  // namespace freshet::tool
