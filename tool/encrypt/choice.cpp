// The choice of a strategy: what the files are like, what of them is in memory, how long a line takes, and what was
// found best on the file system.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <freshet/error.hpp>
#include <freshet/reader.hpp>
#include <freshet/writer.hpp>

#include "encrypt/encryption.hpp"
#include "encrypt/files_ahead.hpp"
#include "measure/clock.hpp"
#include "os/file.hpp"
#include "os/queue.hpp"
#include "profile_lookup.hpp"
#include "size.hpp"

namespace freshet::tool {
namespace {

struct sight {
  std::uint64_t bytes = 0;
  std::uint64_t in_small_files = 0;  ///< of these bytes
  double in_memory = 0;              ///< share of the bytes, 0 to 1
  double treated = 0;                ///< bytes per second, by all threads together
  bool has_ring = false;             ///< io_uring is to be had
  bool has_profile = false;          ///< for the file system of the output
  double disk = 0;                   ///< bytes per second that it takes past the page cache; 0: not measured
};

// The first lines of the largest file, at most 64 KiB.
std::string sample_of(const encryption_job& job) {
  const auto largest = std::ranges::max_element(job.files, {}, &input_file::size);
  std::string sample(std::size_t{64} << 10, '\0');
  reader in{job.in / largest->name, {.block = sample.size()}};
  sample.resize(in.read(std::span<char>{sample}));
  if (const std::size_t end = sample.rfind('\n'); end != std::string::npos) sample.resize(end + 1);
  return sample;
}

// Bytes per second of one thread: the lines of `sample`, again and again for a millisecond, by as many passes as
// that allows. What cannot be treated is left to be found with its place.
double rate_of(std::string_view sample, cipher_plan plan) {
  constexpr double enough = 0.001;
  constexpr unsigned most_passes = 64;
  const double scale = plan.work > most_passes ? static_cast<double>(plan.work) / most_passes : 1;
  plan.work = std::min(plan.work, most_passes);
  line_cipher cipher{plan};
  std::vector<char> room(cipher.room_for(sample.size()));
  std::size_t treated = 0;
  const stopwatch watch;
  while (watch.seconds() < enough) {
    std::string_view rest = sample.substr(treated % sample.size());
    const std::string_view line = rest.substr(0, rest.find('\n'));
    std::ignore = cipher.transform(line, room);
    treated += std::min(line.size() + 1, rest.size());
  }
  return static_cast<double>(treated) / watch.seconds() / scale;
}

double rate_of(const encryption_job& job) {
  const std::string sample = sample_of(job);
  if (sample.empty()) return 0;
  try {
    return rate_of(sample, job.plan.cipher);
  } catch (const std::invalid_argument&) {
    return 0;
  }
}

bool has_ring() {
  std::error_code failure;
  const auto ring = os::queue_lease::take(os::queue_kind::uring, files_on_their_way, failure);
  return !failure;
}

bool has_profile(const std::filesystem::path& directory) {
  std::error_code failure;
  const os::file here = os::file::open(
      directory, {.what = os::open_request::disposition::existing, .read = true, .write = false}, failure);
  return !failure && profiled_settings(here, here.status(failure).device, durability::none).has_value();
}

// Writes some blocks into a file that never appears. 0 where that cannot be done.
double disk_rate(const std::filesystem::path& directory) {
  const std::vector<std::byte> piece(std::size_t{4} << 20);
  constexpr int pieces = 3;
  std::error_code failure;
  writer out{directory / ".freshet-probe", {.method = "uring", .hidden_until_closed = true}, failure};
  const stopwatch watch;
  for (int number = 0; number < pieces && !failure; ++number) out.write(piece, failure);
  if (!failure) out.flush(failure);
  return failure ? 0 : pieces * static_cast<double>(piece.size()) / watch.seconds();
}

sight look_at(const encryption_job& job) {
  constexpr std::uint64_t worth_a_probe = std::uint64_t{32} << 20;
  const unsigned at_once = std::min(job.plan.threads, std::max(1U, std::thread::hardware_concurrency()));
  sight seen;
  for (const input_file& file : job.files) {
    seen.bytes += file.size;
    if (file.size <= largest_small_file) seen.in_small_files += file.size;
  }
  seen.in_memory = share_in_memory(job.in, job.files);
  seen.treated = rate_of(job) * at_once;
  seen.has_ring = has_ring();
  seen.has_profile = has_profile(job.out);
  if (seen.has_ring && !seen.has_profile && seen.bytes - seen.in_small_files >= worth_a_probe)
    seen.disk = disk_rate(job.out);
  return seen;
}

// Whether the disk keeps up with the threads, or at least with a page cache whose memory must be had first.
bool is_fast(double disk, double treated) {
  constexpr double growth = 4.0 / 3;
  constexpr double page_cache = 1e9;
  return disk > 0 && disk >= std::min(treated * growth, page_cache);
}

strategy_choice decide(const sight& seen) {
  const bool small = 2 * seen.in_small_files >= seen.bytes;
  if (small && seen.in_memory >= 0.5)
    return {strategy::pipelined, "each thread takes whole files, which are small and in memory"};
  if (small && seen.has_ring)
    return {strategy::async, "the files are small and not in memory: several are on their way to each thread"};
  if (small) return {strategy::pipelined, "each thread takes whole files, which are small; io_uring is not to be had"};
  if (seen.has_profile) return {strategy::pipelined, "the profile says how to read and write large files here"};
  if (is_fast(seen.disk, seen.treated))
    return {strategy::async, "without a profile: past the page cache the disk takes what is made of large files"};
  return {strategy::pipelined, "without a profile: the page cache takes what is made of large files"};
}

std::string figures_of(const sight& seen, const encryption_job& job) {
  std::string text =
      fmt::format("{} files, {}, {:.0f} % in memory; {} {} {} MB/s", job.files.size(), format_size(seen.bytes),
                  100 * seen.in_memory, job.plan.threads, job.plan.threads == 1 ? "thread treats" : "threads treat",
                  format_figure(seen.treated / 1e6));
  if (seen.disk > 0) text += fmt::format(", the disk takes {} MB/s", format_figure(seen.disk / 1e6));
  return text;
}

}  // namespace

strategy_choice choose_strategy(const encryption_job& job, bool cold) {
  sight seen = look_at(job);
  if (cold) seen.in_memory = 0;
  strategy_choice choice = decide(seen);
  choice.why += fmt::format(" ({})", figures_of(seen, job));
  return choice;
}

}  // namespace freshet::tool
