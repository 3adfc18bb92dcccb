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

#include "src/os/file.hpp"
#include "src/os/queue.hpp"
#include "src/profile_lookup.hpp"
#include "tool/base/size.hpp"
#include "tool/encrypt/encryption.hpp"
#include "tool/encrypt/files_ahead.hpp"
#include "tool/measure/clock.hpp"

namespace freshet::tool {
namespace {

struct sight {
  std::uint64_t bytes = 0;
  std::uint64_t in_small_files = 0;  ///< of these bytes
  double in_memory = 0;              ///< share of the bytes, 0 to 1
  double at_once = 1;                ///< threads that have a processor each
  double treated = 0;                ///< bytes per second, by one thread
  double growth = 1;                 ///< bytes written per byte that is treated
  bool has_ring = false;             ///< io_uring is to be had
  bool has_profile = false;          ///< for the file system of the output
  double disk = 0;                   ///< bytes per second that can be written past the page cache; 0: not measured
  double page_cache = 0;             ///< the same, through it
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
  const auto ring = detail::os::queue_lease::take(detail::os::queue_kind::uring, files_on_their_way, failure);
  return !failure;
}

bool has_profile(const std::filesystem::path& directory) {
  std::error_code failure;
  const detail::os::file here = detail::os::file::open(
      directory, {.what = detail::os::open_request::disposition::existing, .read = true, .write = false}, failure);
  return !failure && detail::profiled_settings(here, here.status(failure).device, durability::none).has_value();
}

// Bytes per second that `method` takes, in pieces of `length` bytes, into a file that never appears. 0 where that
// cannot be done. The first pieces only have the writer take its memory.
double write_rate(const std::filesystem::path& directory, std::string_view method, std::size_t length) {
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

sight look_at(const encryption_job& job) {
  constexpr std::uint64_t worth_a_probe = std::uint64_t{64} << 20;
  sight seen;
  for (const input_file& file : job.files) {
    seen.bytes += file.size;
    if (file.size <= largest_small_file) seen.in_small_files += file.size;
  }
  seen.at_once = std::min(job.plan.threads, std::max(1U, std::thread::hardware_concurrency()));
  seen.in_memory = share_in_memory(job.in, job.files);
  seen.treated = rate_of(job);
  seen.growth = job.plan.cipher.decrypt ? 3.0 / 4 : 4.0 / 3;
  seen.has_ring = has_ring();
  seen.has_profile = has_profile(job.out);
  if (seen.has_ring && !seen.has_profile && seen.bytes - seen.in_small_files >= worth_a_probe) {
    seen.disk = write_rate(job.out, "uring", std::size_t{4} << 20);
    seen.page_cache = write_rate(job.out, "buffered", std::size_t{1} << 20);
  }
  return seen;
}

// Past the page cache the disk works while the threads do; what goes through it is copied by one of them at a time.
// That costs the threads' time, and the sample may have got memory that was at hand: it must be clearly faster.
// Precondition: seen.disk > 0
bool is_better_past_the_page_cache(const sight& seen) {
  constexpr double clearly = 1.5;
  const double made = seen.treated * seen.growth;
  const double past = std::min(seen.disk, made * seen.at_once);
  const double through = std::min(seen.page_cache, seen.at_once / (1 / made + 1 / seen.page_cache));
  return seen.page_cache == 0 || through < clearly * past;
}

strategy_choice decide(const sight& seen) {
  const bool small = 2 * seen.in_small_files >= seen.bytes;
  if (small && seen.in_memory >= 0.5)
    return {strategy::pipelined, "each thread takes whole files, which are small and in memory"};
  if (small && seen.has_ring)
    return {strategy::async, "the files are small and not in memory: several are on their way to each thread"};
  if (small) return {strategy::pipelined, "each thread takes whole files, which are small; io_uring is not to be had"};
  if (seen.has_profile) return {strategy::pipelined, "the profile says how to read and write large files here"};
  if (seen.disk == 0)
    return {strategy::pipelined, seen.has_ring ? "large files, but too few bytes for the way past the page cache to pay"
                                               : "without io_uring, large files are written through the page cache"};
  if (is_better_past_the_page_cache(seen))
    return {strategy::async, "without a profile: large files are better written past the page cache"};
  return {strategy::pipelined, "without a profile: large files are faster written through the page cache"};
}

std::string figures_of(const sight& seen, const encryption_job& job) {
  std::string text = fmt::format(
      "{} files, {}, {:.0f} % in memory; {} treats {} MB/s", job.files.size(), format_size(seen.bytes),
      100 * seen.in_memory, job.plan.threads == 1 ? "the thread" : fmt::format("each of {} threads", job.plan.threads),
      format_figure(seen.treated / 1e6));
  if (seen.disk > 0)
    text += fmt::format("; written are {} MB/s past the page cache, {} through it", format_figure(seen.disk / 1e6),
                        format_figure(seen.page_cache / 1e6));
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
