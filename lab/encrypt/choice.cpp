// The choice of a strategy: by the sizes of the files, how much of them is in memory, and whether a profile says how to
// read them. The pipeline leaves it to the files to be written through the page cache or past it: they change that
// while they are written.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include <freshet/error.hpp>
#include <freshet/reader.hpp>

#include "lab/encrypt/encryption.hpp"
#include "lab/encrypt/files_ahead.hpp"
#include "src/os/file.hpp"
#include "src/os/queue.hpp"
#include "src/profile/profile_lookup.hpp"
#include "tool/base/clock.hpp"
#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

constexpr std::array<wanted_strategy, 5> all_strategies{strategy::streaming, strategy::buffering, strategy::pipelined,
                                                        strategy::async, std::nullopt};

struct input_stats {
  std::uint64_t bytes = 0;
  std::uint64_t in_small_files = 0;  ///< bytes
  double in_memory = 0;              ///< share of the bytes, 0 to 1
  double cipher_rate = 0;            ///< bytes of input per second and thread
  bool has_ring = false;             ///< io_uring is available
  bool has_profile = false;          ///< for the file system of the input
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
  return !failure && detail::profiled_reading(opened, opened.status(failure).device).cold.has_value();
}

input_stats inspect_input(const encryption_job& job) {
  input_stats stats;
  for (const input_file& file : job.files) {
    stats.bytes += file.size;
    if (file.size <= largest_small_file) stats.in_small_files += file.size;
  }
  stats.in_memory = share_in_memory(job.in, job.files);
  stats.cipher_rate = measure_cipher_rate(job);
  stats.has_ring = has_ring();
  stats.has_profile = has_profile(job.in);
  return stats;
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
  // Reading ahead for each thread takes 0.87 of the pipeline's time, measured for eight cold files of 128 MiB.
  if (stats.in_memory < 0.5 && stats.has_ring && !stats.has_profile)
    return {strategy::async, "the files are large and not in memory, and no profile says how to read them"};
  return {strategy::pipelined, "the files are large, so the pipeline gives all threads parts of one file"};
}

std::string format_stats(const input_stats& stats, const encryption_job& job) {
  return fmt::format("{} files, {}, {:.0f} % in memory; {} processes {} MB/s", job.files.size(),
                     format_size(stats.bytes), 100 * stats.in_memory,
                     job.plan.threads == 1 ? "the thread" : fmt::format("each of {} threads", job.plan.threads),
                     format_figure(stats.cipher_rate / 1e6));
}

}  // namespace

std::span<const wanted_strategy> wanted_strategies() noexcept { return all_strategies; }

std::string name_of(const wanted_strategy& how) { return how ? std::string{to_string(*how)} : "auto"; }

strategy_choice choose_strategy(const encryption_job& job, bool cold) {
  input_stats stats = inspect_input(job);
  if (cold) stats.in_memory = 0;
  strategy_choice choice = decide(stats);
  choice.why += fmt::format(" ({})", format_stats(stats, job));
  return choice;
}

}  // namespace freshet::tool
