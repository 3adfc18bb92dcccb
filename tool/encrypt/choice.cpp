// The choice of a strategy: what the files are like, what of them is in memory, how long a line takes, and what was
// found best on the file system.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <freshet/error.hpp>
#include <freshet/reader.hpp>

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
  double in_memory = 0;              ///< share of the bytes
  double rate = 0;                   ///< bytes that one thread treats in a second
  bool has_ring = false;             ///< io_uring is to be had
  bool has_profile = false;          ///< for the file system of the output
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

// Bytes per second of one thread: the lines of `sample`, again and again for some milliseconds, by as many passes as
// that allows. What cannot be treated is left to be found with its place.
double rate_of(std::string_view sample, cipher_plan plan) {
  constexpr double enough = 0.005;
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

sight look_at(const encryption_job& job) {
  sight seen;
  for (const input_file& file : job.files) {
    seen.bytes += file.size;
    if (file.size <= largest_small_file) seen.in_small_files += file.size;
  }
  seen.in_memory = share_in_memory(job.in, job.files);
  seen.rate = rate_of(job);
  seen.has_ring = has_ring();
  seen.has_profile = has_profile(job.out);
  return seen;
}

strategy_choice decide(const sight& seen) {
  const bool small = 2 * seen.in_small_files >= seen.bytes;
  const bool in_memory = seen.in_memory >= 0.5;
  if (small && in_memory) return {strategy::pipelined, "each thread takes whole files, which are small and in memory"};
  if (small && seen.has_ring)
    return {strategy::async, "the files are small and not in memory: several are on their way to each thread"};
  if (small) return {strategy::pipelined, "each thread takes whole files, which are small; io_uring is not to be had"};
  if (seen.has_profile) return {strategy::pipelined, "the profile says how to read and write large files here"};
  if (seen.has_ring) return {strategy::async, "the files are large, and no profile says how to read and write here"};
  return {strategy::pipelined, "the files are large; there is neither a profile nor io_uring here"};
}

}  // namespace

strategy_choice choose_strategy(const encryption_job& job) {
  const sight seen = look_at(job);
  strategy_choice choice = decide(seen);
  choice.why += fmt::format(" ({} in {} files, {:.0f} % of it in memory; each of {} threads treats {} MB/s)",
                            format_size(seen.bytes), job.files.size(), 100 * seen.in_memory, job.plan.threads,
                            format_figure(seen.rate / 1e6));
  return choice;
}

}  // namespace freshet::tool
