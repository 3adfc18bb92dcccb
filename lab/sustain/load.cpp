#include "lab/sustain/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include <freshet/error.hpp>
#include <freshet/writer.hpp>

#include "tool/base/clock.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/base/place.hpp"
#include "tool/base/text.hpp"
#include "tool/measure/proc_files.hpp"
#include "tool/measure/process.hpp"
#include "tool/measure/quiet.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t smallest_piece = std::size_t{4} << 10;
constexpr double pieces_per_second = 20;  // at least, so that a slow stream is even, too
constexpr auto look_every = std::chrono::milliseconds{20};
constexpr double show_every = 0.2;       // seconds
constexpr unsigned clean_in_a_row = 64;  // files that the device has; it also has the older ones

std::size_t choose_piece(const load_plan& plan) {
  const auto most =
      static_cast<std::size_t>(std::min<std::uint64_t>(plan.block != 0 ? plan.block : default_block, plan.size));
  if (plan.rate == 0) return most;
  const auto even = static_cast<std::size_t>(plan.rate / plan.writers / pieces_per_second);
  return std::clamp(even, std::min(smallest_piece, most), most);
}

writer_options options_of(const load_plan& plan) {
  return {
      .method = plan.method, .block = plan.block, .depth = plan.depth, .durability = durability_of(plan.durability)};
}

// Bytes of the file system that stay free.
std::uint64_t kept_free(const fs::path& place) {
  return static_cast<std::uint64_t>(share_kept_free * static_cast<double>(fs::space(place).capacity));
}

// Of all programs.
std::uint64_t read_dirty_of_machine() {
  return read_labelled("/proc/meminfo", "Dirty:").value_or(0) +
         read_labelled("/proc/meminfo", "Writeback:").value_or(0);
}

}  // namespace

// One load. Its writers share nothing but when to end, and the list of finished files.
class load_generator::session {
 public:
  session(const load_plan& plan, const scratch& place, std::span<const std::byte> data)
      : plan_{plan}, place_{place}, data_{data}, piece_{choose_piece(plan)}, writers_(plan.writers) {}

  void run(const listener& show) {
    std::vector<std::jthread> threads;
    try {
      for (writer_state& each : writers_) {
        ++running_;
        threads.emplace_back([this, &each] { work(each); });
      }
      watch(show);
    } catch (...) {
      ends_ = true;
      throw;  // the threads are joined
    }
  }

  [[nodiscard]] load_result collect() const {
    load_result all{.bytes = bytes(), .seconds = ended_, .fell_behind = fell_behind_, .samples = samples_};
    for (const writer_state& each : writers_) {
      all.waits.add(each.waits);
      all.longest_wait = std::max(all.longest_wait, each.longest_wait);
      if (each.schedule && each.schedule->worst().seconds > all.worst.seconds) all.worst = each.schedule->worst();
      if (all.failure.empty()) all.failure = each.failure;
    }
    return all;
  }

 private:
  struct writer_state {
    std::atomic<std::uint64_t> bytes = 0;
    std::atomic<double> behind = 0;
    std::atomic<double> longest_since_sample = 0;
    // From here on for its own thread, until that has ended.
    std::optional<pace> schedule = {};
    latency_histogram waits = {};
    double longest_wait = 0;
    std::string failure = {};
  };

  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t all = 0;
    for (const writer_state& each : writers_) all += each.bytes;
    return all;
  }

  [[nodiscard]] bool is_over() const {
    return ends_ || clock_.seconds() >= plan_.seconds || bytes() + piece_ * plan_.writers > plan_.max_bytes;
  }

  void work(writer_state& own) {
    own.schedule.emplace(plan_.rate / plan_.writers);
    try {
      while (!is_over()) write_file(own);
    } catch (const std::exception& failed) {
      own.failure = failed.what();
      ends_ = true;
    }
    --running_;
  }

  void write_file(writer_state& own) {
    wait_for_room();
    const fs::path path = place_.file(++files_);
    writer out{path, options_of(plan_)};
    while (out.tell() + piece_ <= plan_.size && wait_for_next(own)) {
      const std::uint64_t before = own.bytes;
      const auto piece = data_.subspan(before % (data_.size() - piece_), piece_);
      const double began = clock_.seconds();
      out.write(piece);
      note(own, began, before + piece_);
    }
    const double began = clock_.seconds();
    out.close();
    note(own, began, own.bytes);
    const std::lock_guard lock{mutex_};
    finished_.push_back(path);
  }

  // False if the load is over.
  bool wait_for_next(writer_state& own) {
    const double due = own.schedule->due(own.bytes);
    if (due > clock_.seconds()) own.schedule->wait_until(due);
    while (!is_over()) {
      const double left = due - clock_.seconds();
      if (left <= 0) break;
      std::this_thread::sleep_for(
          std::min<std::chrono::duration<double>>(std::chrono::duration<double>{left}, look_every));
    }
    return !is_over();
  }

  void note(writer_state& own, double began, std::uint64_t bytes) {
    const double ended = clock_.seconds();
    own.schedule->add(began, ended, bytes);
    own.waits.add(static_cast<std::uint64_t>((ended - began) * 1e9));
    own.longest_wait = std::max(own.longest_wait, ended - began);
    own.longest_since_sample = std::max(own.longest_since_sample.load(), ended - began);
    own.behind = own.schedule->behind();
    own.bytes = bytes;
  }

  void watch(const listener& show) {
    double shown = 0;
    while (running_ > 0) {
      throw_if_interrupted();
      std::this_thread::sleep_for(look_every);
      const double now = clock_.seconds();
      if (samples_.empty() ? now >= 1 : now >= samples_.back().at + 1) take_sample(now);
      if (now >= shown + show_every) show(bytes(), shown = now);
      make_room();
      look_behind(now);
    }
    ended_ = clock_.seconds();
    if (samples_.empty()) take_sample(ended_);
  }

  void take_sample(double now) {
    load_sample sample{.at = now,
                       .bytes = bytes(),
                       .dirty = read_dirty(),
                       .memory = read_labelled("/proc/self/status", "VmRSS:").value_or(0)};
    for (writer_state& each : writers_)
      sample.longest_wait = std::max(sample.longest_wait, each.longest_since_sample.exchange(0));
    samples_.push_back(sample);
  }

  // What is dirty of this load's files or, where the system does not tell, by how much the machine has more of it than
  // before the load.
  [[nodiscard]] std::uint64_t read_dirty() const {
    std::uint64_t dirty = 0;
    unsigned clean = 0;
    for (unsigned number = files_; number > 0 && clean < clean_in_a_row; --number) {
      std::error_code failure;
      const detail::os::file file = detail::os::file::open_existing(place_.file(number), failure);
      const std::uint64_t size = failure ? 0 : fs::file_size(place_.file(number), failure);
      const std::uint64_t own = failure ? 0 : file.unwritten(0, size, failure);
      if (failure == std::errc::function_not_supported)
        return std::max(read_dirty_of_machine(), dirty_before_) - dirty_before_;
      clean = own == 0 ? clean + 1 : 0;
      dirty += own;
    }
    return dirty;
  }

  void look_behind(double now) {
    const auto is_late = [](const writer_state& each) { return each.behind > tolerated_lag; };
    if (fell_behind_ < 0 && std::ranges::any_of(writers_, is_late)) fell_behind_ = now;
    if (fell_behind_ >= 0 && now > fell_behind_ + patience_behind) ends_ = true;
  }

  // Removing is no part of the load, so the writers do not wait for it while there is room for their next files.
  void make_room() {
    const std::uint64_t wanted = kept_free(place_.path()) + next_files();
    while (fs::space(place_.path()).available < wanted)
      if (!remove_oldest()) return;
  }

  [[nodiscard]] bool remove_oldest() {
    fs::path oldest;
    {
      const std::lock_guard lock{mutex_};
      if (finished_.empty()) return false;
      oldest = std::move(finished_.front());
      finished_.pop_front();
    }
    std::error_code failure;
    detail::os::remove(oldest, failure);
    if (failure) throw error{failure, "remove", oldest};
    return true;
  }

  void wait_for_room() const {
    while (!is_over() && fs::space(place_.path()).available < next_files()) std::this_thread::sleep_for(look_every);
  }

  [[nodiscard]] std::uint64_t next_files() const { return plan_.size * plan_.writers; }

  const load_plan& plan_;
  const scratch& place_;
  std::span<const std::byte> data_;
  std::size_t piece_;
  std::deque<writer_state> writers_;  // never moved
  std::atomic<bool> ends_ = false;
  std::atomic<unsigned> running_ = 0;
  std::atomic<unsigned> files_ = 0;
  std::mutex mutex_;
  std::deque<fs::path> finished_;
  std::vector<load_sample> samples_;
  std::uint64_t dirty_before_ = read_dirty_of_machine();
  double fell_behind_ = -1;
  double ended_ = 0;
  stopwatch clock_;
};

load_generator::load_generator(const fs::path& directory) : scratch_{fs::absolute(directory)} {}

load_result load_generator::run(const load_plan& plan, const listener& show) {
  const std::uint64_t kept = kept_free(scratch_.path());
  const std::uint64_t available = fs::space(scratch_.path()).available;
  const std::uint64_t files = 2 * plan.size * plan.writers;  // one at work, and one that is finished
  if (available < kept + files)
    refuse(std::errc::no_space_on_device, "write to", scratch_.path().parent_path(),
           fmt::format("{} are wanted, a tenth of the file system stays free ({}), and {} are available",
                       format_size(files), format_size(kept), format_size(available)));
  const idle_baseline idle;
  const cpu_meter cpu{idle};
  session load{plan, scratch_, data_.bytes()};
  try {
    load.run(show);
  } catch (interrupted& signal) {
    const load_result by_then = load.collect();
    const double seconds = by_then.samples.empty() ? 0 : by_then.samples.back().at;
    signal.so_far = fmt::format("{} were written in {}", format_size(by_then.bytes), format_duration(seconds));
    throw;
  }
  load_result result = load.collect();
  const stopwatch watch;
  write_out(scratch_.path());
  result.sync_seconds = watch.seconds();
  result.cpu = cpu.stop();
  scratch_.clear();
  return result;
}

}  // namespace freshet::tool
