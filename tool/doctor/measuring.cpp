#include "tool/doctor/measuring.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <memory>
#include <system_error>
#include <thread>

#include <freshet/error.hpp>

#include "tool/base/clock.hpp"
#include "tool/base/failure.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/place.hpp"
#include "tool/base/scratch.hpp"
#include "tool/measure/cpu.hpp"
#include "tool/measure/environment.hpp"
#include "tool/measure/memory.hpp"
#include "tool/measure/proc_files.hpp"

namespace freshet::tool {
namespace {

// Seconds of each step; together measuring_time.
constexpr double watching = 0.45;
constexpr double working = 0.15;
constexpr double flushing = 0.25;
static_assert(watching + working + touch_time + flushing <= measuring_time + 1e-9);

constexpr unsigned most_workers = 8;  // enough to meet a hypervisor's limit, without taking over a large machine
constexpr unsigned most_flushes = 50;
constexpr std::size_t flushed_bytes = 4096;

struct disk_bytes {
  double read = 0;
  double written = 0;
};

// Of the disks below the directory: what lies on top of them would be counted twice.
disk_bytes read_disk_bytes(const storage_facts& storage) {
  disk_bytes all;
  for (const block_device& each : storage.devices) {
    if (!each.below.empty() || !each.backing_file.empty()) continue;
    const auto counters = detail::os::read_device_counters(each.name);
    if (!counters) continue;
    all.read += static_cast<double>(counters->read_bytes);
    all.written += static_cast<double>(counters->written_bytes);
  }
  return all;
}

std::uint64_t read_swapped_pages() {
  return read_labelled("/proc/vmstat", "pswpin").value_or(0) + read_labelled("/proc/vmstat", "pswpout").value_or(0);
}

void watch_others(const storage_facts& storage, measured_facts& measured) {
  const other_writers writers;
  const disk_bytes disk = read_disk_bytes(storage);
  const machine_cpu machine = read_machine_cpu();
  const double own = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  const stopwatch watch;
  sleep_interruptibly(watching);
  const double seconds = watch.seconds();
  const double busy = read_machine_cpu().busy - machine.busy - (read_clock(CLOCK_PROCESS_CPUTIME_ID) - own);
  const disk_bytes later = read_disk_bytes(storage);
  measured.seconds = seconds;
  measured.busy_others = std::max(0.0, busy / seconds);
  measured.read_by_others = std::max(0.0, later.read - disk.read) / seconds;
  measured.written_by_others = std::max(0.0, later.written - disk.written) / seconds;
  measured.writers = writers.written();
}

void work_for(double seconds) {
  for (const stopwatch watch; watch.seconds() < seconds && noted_interrupt() == 0;) {
  }
}

// Time is stolen only from processors that have work.
void measure_stolen_time(measured_facts& measured, std::vector<unseen_fact>& unseen) {
  const double before = read_machine_cpu().stolen;
  const double own = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  try {
    std::vector<std::jthread> workers;
    for (unsigned i = 1; i < std::min(most_workers, processor_count()); ++i) workers.emplace_back(work_for, working);
    work_for(working);
  } catch (const std::system_error& failure) {
    unseen.push_back({"stolen time", describe_failure(failure)});
    return;
  }
  throw_if_interrupted();
  const double stolen = read_machine_cpu().stolen - before;
  const double got = read_clock(CLOCK_PROCESS_CPUTIME_ID) - own;
  if (got + stolen > 0) measured.stolen = stolen / (got + stolen);
}

// fdatasync after a write into space that the file has already: a flush, and no more than that of a journal's work.
flush_times time_flushes(const std::filesystem::path& path) {
  const auto require = [&path](const std::error_code& failure, const char* operation) {
    if (failure) throw error{failure, operation, path};
  };
  static constexpr std::array<std::byte, flushed_bytes> content{};
  std::error_code failure;
  detail::os::file file = detail::os::file::open(path, {}, failure);
  require(failure, "create");
  const auto write = [&] {
    const std::size_t written = file.write_at(content, 0, failure);
    require(written == content.size() ? failure : std::make_error_code(std::errc::no_space_on_device), "write");
    file.sync_data(failure);
    require(failure, "sync");
  };
  write();
  std::vector<double> seconds;
  for (const stopwatch watch; watch.seconds() < flushing && seconds.size() < most_flushes;) {
    throw_if_interrupted();
    const stopwatch flush;
    write();
    seconds.push_back(flush.seconds());
  }
  if (seconds.empty()) return {};
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::ranges::nth_element(seconds, middle);
  return {.median = *middle, .count = static_cast<unsigned>(seconds.size())};
}

void measure_flushes(const storage_facts& storage, measured_facts& measured, std::vector<unseen_fact>& unseen) {
  if (is_in_memory(storage.place)) return;
  try {
    const scratch trials{storage.directory};
    if (const flush_times times = time_flushes(trials.file(0)); times.count != 0) measured.flush = times;
  } catch (const error& failure) {
    unseen.push_back({"how long a flush takes", failure.what()});
  }
}

throttle_counters difference(const throttle_counters& now, const throttle_counters& before) {
  const auto rise = [](auto later, auto earlier) { return later > earlier ? later - earlier : 0; };
  return {.heat_events = rise(now.heat_events, before.heat_events),
          .cooling_steps = rise(now.cooling_steps, before.cooling_steps),
          .quota_seconds = rise(now.quota_seconds, before.quota_seconds),
          .suspended_seconds = rise(now.suspended_seconds, before.suspended_seconds)};
}

}  // namespace

measured_facts measure_facts(const machine_facts& known, const std::function<void(std::string_view, double)>& show,
                             std::vector<unseen_fact>& unseen) {
  measured_facts measured;
  const throttle_reader throttles;
  const throttle_counters before = throttles.read();
  const std::uint64_t swapped = read_swapped_pages();
  show("watching what others do", measuring_time);
  watch_others(known.storage, measured);
  show("working on all processors", measuring_time - watching);
  measure_stolen_time(measured, unseen);
  show("touching memory", touch_time + flushing);
  measured.touch = measure_first_touch();
  show("flushing small writes", flushing);
  measure_flushes(known.storage, measured, unseen);
  measured.swapped_pages = read_swapped_pages() - swapped;
  measured.throttled = difference(throttles.read(), before);
  return measured;
}

}  // namespace freshet::tool
