// The choice of a strategy: by the files, how much of them is in memory, the time that a line takes, and the profile of
// the file system.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <freshet/error.hpp>
#include <freshet/reader.hpp>
#include <freshet/writer.hpp>

#include "src/os/file.hpp"
#include "src/os/queue.hpp"
#include "src/profile_lookup.hpp"
#include "tool/base/text.hpp"
#include "tool/encrypt/encryption.hpp"
#include "tool/encrypt/files_ahead.hpp"
#include "tool/measure/clock.hpp"

namespace freshet::tool {
namespace {

struct input_stats {
  std::uint64_t bytes = 0;
  std::uint64_t in_small_files = 0;  ///< bytes
  double in_memory = 0;              ///< share of the bytes, 0 to 1
  double parallel_threads = 1;       ///< threads that have a processor each
  double cipher_rate = 0;            ///< bytes of input per second and thread
  double growth = 1;                 ///< bytes of output per byte of input
  bool has_ring = false;             ///< io_uring is available
  bool has_profile = false;          ///< for the file system of the output
  double disk_rate = 0;              ///< bytes per second written past the page cache; 0: not measured
  double page_cache_rate = 0;        ///< bytes per second written through the page cache
};

// The first lines of the largest file, 64 KiB at most.
std::string read_sample(const encryption_job& job) {
  const auto largest = std::ranges::max_element(job.files, {}, &input_file::size);
  std::string sample(std::size_t{64} << 10, '\0');
  reader in{job.in / largest->name, {.block = sample.size()}};
  sample.resize(in.read(std::span<char>{sample}));
  if (const std::size_t end = sample.rfind('\n'); end != std::string::npos) sample.resize(end + 1);
  return sample;
}

// Bytes per second that one thread transforms: the lines of `sample`, again and again for a millisecond. If the plan
// has more passes than that allows, the rate is extrapolated.
double measure_cipher_rate(std::string_view sample, cipher_plan plan) {
  constexpr double enough = 0.001;
  constexpr unsigned most_passes = 64;
  const double scale = plan.work > most_passes ? static_cast<double>(plan.work) / most_passes : 1;
  plan.work = std::min(plan.work, most_passes);
  line_cipher cipher{plan};
  std::vector<char> room(cipher.room_for(sample.size()));
  std::size_t transformed = 0;
  const stopwatch watch;
  while (watch.seconds() < enough) {
    std::string_view rest = sample.substr(transformed % sample.size());
    const std::string_view line = rest.substr(0, rest.find('\n'));
    std::ignore = cipher.transform(line, room);
    transformed += std::min(line.size() + 1, rest.size());
  }
  return static_cast<double>(transformed) / watch.seconds() / scale;
}

// 0 if the sample cannot be decrypted; the run will then report where.
double measure_cipher_rate(const encryption_job& job) {
  const std::string sample = read_sample(job);
  if (sample.empty()) return 0;
  try {
    return measure_cipher_rate(sample, job.plan.cipher);
  } catch (const std::invalid_argument&) {
    return 0;
  }
}

bool has_ring() {
  std::error_code failure;
  const auto ring = detail::os::queue_lease::take(detail::os::queue_kind::uring, files_in_flight, failure);
  return !failure;
}

bool has_profile(const std::filesystem::path& directory) {
  std::error_code failure;
  const detail::os::file opened = detail::os::file::open_existing(directory, failure);
  return !failure && detail::profiled_settings(opened, opened.status(failure).device, durability::none).has_value();
}

// Bytes per second that `method` writes, in pieces of `length` bytes, to a file that never appears under its name; 0 if
// it fails. The first pieces are not timed, because the writer allocates its memory with them.
double measure_write_rate(const std::filesystem::path& directory, std::string_view method, std::size_t length) {
  const std::vector<std::byte> piece(length);
  constexpr int pieces = 3;
  std::error_code failure;
  writer out{directory / ".freshet-probe", {.method = method, .hidden_until_closed = true}, failure};
  const auto write_pieces = [&] {
    for (int number = 0; number < pieces && !failure; ++number) out.write(piece, failure);
    if (!failure) out.flush(failure);
  };
  write_pieces();
  const stopwatch watch;
  write_pieces();
  return failure ? 0 : pieces * static_cast<double>(length) / watch.seconds();
}

input_stats inspect_input(const encryption_job& job) {
  constexpr std::uint64_t worth_a_probe = std::uint64_t{64} << 20;
  input_stats stats;
  for (const input_file& file : job.files) {
    stats.bytes += file.size;
    if (file.size <= largest_small_file) stats.in_small_files += file.size;
  }
  stats.parallel_threads = std::min(job.plan.threads, std::max(1U, std::thread::hardware_concurrency()));
  stats.in_memory = share_in_memory(job.in, job.files);
  stats.cipher_rate = measure_cipher_rate(job);
  stats.growth = job.plan.cipher.decrypt ? 3.0 / 4 : 4.0 / 3;
  stats.has_ring = has_ring();
  stats.has_profile = has_profile(job.out);
  if (stats.has_ring && !stats.has_profile && stats.bytes - stats.in_small_files >= worth_a_probe) {
    stats.disk_rate = measure_write_rate(job.out, "uring", std::size_t{4} << 20);
    stats.page_cache_rate = measure_write_rate(job.out, "buffered", std::size_t{1} << 20);
  }
  return stats;
}

// Past the page cache, the disk works at the same time as the threads. Through it, the threads copy the data, one at a
// time. The sample may also have used memory that was just freed, so the page cache must be clearly faster.
// Precondition: stats.disk_rate > 0
bool is_better_past_page_cache(const input_stats& stats) {
  constexpr double clearly = 1.5;
  const double output_rate = stats.cipher_rate * stats.growth;
  const double past = std::min(stats.disk_rate, output_rate * stats.parallel_threads);
  const double through =
      std::min(stats.page_cache_rate, stats.parallel_threads / (1 / output_rate + 1 / stats.page_cache_rate));
  return stats.page_cache_rate == 0 || through < clearly * past;
}

strategy_choice decide(const input_stats& stats) {
  const bool small = 2 * stats.in_small_files >= stats.bytes;
  if (small && stats.in_memory >= 0.5)
    return {strategy::pipelined, "the files are small and in memory, so the pipeline gives each thread whole files"};
  if (small && stats.has_ring)
    return {strategy::async, "the files are small and not in memory, so several are read ahead for each thread"};
  if (small)
    return {strategy::pipelined,
            "the files are small and io_uring is not available, so the pipeline gives each thread whole files"};
  if (stats.has_profile)
    return {strategy::pipelined,
            "the files are large, and the profile of this file system says how to read and write them"};
  if (stats.disk_rate == 0)
    return {strategy::pipelined,
            stats.has_ring ? "the files are large, but have too few bytes for writing past the page cache to pay"
                           : "the files are large, and without io_uring they are written through the page cache"};
  if (is_better_past_page_cache(stats))
    return {strategy::async, "there is no profile, and large files are better written past the page cache"};
  return {strategy::pipelined, "there is no profile, and large files are written faster through the page cache"};
}

std::string format_stats(const input_stats& stats, const encryption_job& job) {
  std::string text = fmt::format(
      "{} files, {}, {:.0f} % in memory; {} processes {} MB/s", job.files.size(), format_size(stats.bytes),
      100 * stats.in_memory, job.plan.threads == 1 ? "the thread" : fmt::format("each of {} threads", job.plan.threads),
      format_figure(stats.cipher_rate / 1e6));
  if (stats.disk_rate > 0)
    text += fmt::format("; {} MB/s are written past the page cache, {} MB/s through it",
                        format_figure(stats.disk_rate / 1e6), format_figure(stats.page_cache_rate / 1e6));
  return text;
}

}  // namespace

strategy_choice choose_strategy(const encryption_job& job, bool cold) {
  input_stats stats = inspect_input(job);
  if (cold) stats.in_memory = 0;
  strategy_choice choice = decide(stats);
  choice.why += fmt::format(" ({})", format_stats(stats, job));
  return choice;
}

}  // namespace freshet::tool
