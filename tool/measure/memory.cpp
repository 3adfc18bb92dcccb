#include "tool/measure/memory.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include <freshet/writer.hpp>

#include "src/os/file.hpp"
#include "tool/base/clock.hpp"
#include "tool/base/interrupt.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t memory_step = std::size_t{8} << 20;  // bytes taken between two readings of the clock
// Backed memory is touched at 2.5 GB/s and more, memory that a hypervisor must bring in at a sixth of that.
constexpr double unbacked_slowdown = 3;
// Single unbacked pieces lie between backed ones; this many in a row are the end of the backed memory.
constexpr int in_a_row = 3;

struct unlinked_file {
  std::filesystem::path path;
  ~unlinked_file() {
    std::error_code ignored;
    detail::os::remove(path, ignored);
  }
};

double touch(std::byte* memory, std::size_t length) {
  const stopwatch watch;
  for (std::size_t at = 0; at < length; at += detail::os::page_size())
    *static_cast<volatile std::byte*>(memory + at) = std::byte{1};
  return watch.seconds();
}

// The median. Precondition: not empty.
double usual_of(std::vector<double> seconds) {
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::ranges::nth_element(seconds, middle);
  return *middle;
}

}  // namespace

void free_memory_at_once(const std::filesystem::path& directory, std::uint64_t bytes) {
  static constexpr std::array<char, std::size_t{256} << 10> content{};
  const std::uint64_t wanted = std::min(bytes, available_memory() / 11);
  const unlinked_file file{directory / "memory"};
  writer out{file.path, {.method = "buffered", .block = content.size()}};
  while (out.tell() < wanted) {
    throw_if_interrupted();
    out.write(std::string_view{content.data(), content.size()});
  }
  out.close();
}

first_touch::first_touch() {
  constexpr std::size_t touched_pieces = 8;
  const std::vector<double> seconds = pieces_.take(touched_pieces);
  if (seconds.empty()) return;
  // MB/s
  const auto rate_of = [&](const std::vector<double>& each) {
    return static_cast<double>(each.size() * pieces_.piece()) / std::accumulate(each.begin(), each.end(), 0.0) / 1e6;
  };
  rate_ = rate_of(seconds);
  pieces_.release();
  const std::vector<double> again = pieces_.take(touched_pieces);
  if (!again.empty()) rate_again_ = rate_of(again);
  // By the medians of the pieces: on a busy machine, single ones are interrupted.
  slow_ = !again.empty() && usual_of(seconds) > slow_memory * usual_of(again);
}

std::vector<double> held_pages::take(std::size_t count) {
  std::vector<double> seconds;
  while (seconds.size() < count) {
    auto* const memory = detail::os::allocate_pages(piece_);
    if (memory == nullptr) break;
    pieces_.push_back(memory);
    seconds.push_back(touch(memory, piece_));
  }
  return seconds;
}

// Returns the seconds that touching it took; infinite if there is no more memory.
double held_pages::take_step() {
  const std::size_t count = memory_step / piece_;
  const std::vector<double> seconds = take(count);
  return seconds.size() == count ? std::accumulate(seconds.begin(), seconds.end(), 0.0)
                                 : std::numeric_limits<double>::infinity();
}

bool held_pages::take_until_slow(double patience, std::uint64_t most) {
  if (fastest_ == 0) {
    // Memory that was just given back shows how fast a touch can be.
    take_step();
    release();
    fastest_ = take_step();
  }
  const stopwatch tried;
  int slow = 0;
  while (slow < in_a_row) {
    throw_if_interrupted();
    if (bytes() + memory_step > most || tried.seconds() >= patience) return false;
    const double seconds = take_step();
    if (seconds == std::numeric_limits<double>::infinity()) return false;
    slow = seconds > unbacked_slowdown * fastest_ ? slow + 1 : 0;
    fastest_ = std::min(fastest_, seconds);
  }
  return true;
}

void held_pages::release() noexcept {
  for (auto* const memory : pieces_) detail::os::free_pages(memory, piece_);
  pieces_.clear();
}

void memory_in_use::release() noexcept {
  huge_.release();
  small_.release();
}

// Memory that was freed a moment ago lies on top of the rest, so that a little of it shows nothing: what was touched is
// held while more is.
touch_speeds measure_first_touch() {
  constexpr unsigned most_pieces = 16;
  constexpr std::uint64_t piece = 8 << 20;  // bytes
  std::vector<std::unique_ptr<first_touch>> held;
  const std::uint64_t most = available_memory() / 8;
  touch_speeds slowest;
  for (const stopwatch watch;
       watch.seconds() < touch_time && held.size() < most_pieces && (held.size() + 1) * piece <= most;) {
    throw_if_interrupted();
    held.push_back(std::make_unique<first_touch>());
    const first_touch& latest = *held.back();
    if (!latest.rate() || !latest.rate_again()) break;
    const touch_speeds now{.fresh = *latest.rate(), .reused = *latest.rate_again()};
    if (slowest.fresh == 0 || now.reused * slowest.fresh > slowest.reused * now.fresh) slowest = now;
  }
  return slowest;
}

}  // namespace freshet::tool
