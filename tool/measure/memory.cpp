#include "tool/measure/memory.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

#include <freshet/error.hpp>
#include <freshet/writer.hpp>

#include "src/os/file.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/measure/clock.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t some = std::size_t{8} << 20;  // bytes taken between two looks at the clock
// Memory at hand is touched at 2.5 GB/s and more, memory that a hypervisor brings in at a sixth of that.
constexpr double brought_in = 3;
// Some memory at rest lies between memory at hand; that much in a row is the end of the latter.
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

std::uint64_t free_by_the_system() {
  std::ifstream in{"/proc/meminfo"};
  std::string label;
  std::uint64_t kibibytes = 0;
  for (std::string unit; in >> label >> kibibytes; std::getline(in, unit))
    if (label == "MemAvailable:") return kibibytes << 10;
  return 0;
}

// What cgroup v2 leaves this process's group; no limit where there is none, or no such group.
std::uint64_t left_by_the_group() {
  std::uint64_t limit = 0;
  std::uint64_t used = 0;
  std::ifstream groups{"/proc/self/cgroup"};
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::")) continue;
    const auto folder = "/sys/fs/cgroup" + line.substr(3);
    if (std::ifstream{folder + "/memory.max"} >> limit && std::ifstream{folder + "/memory.current"} >> used)
      return limit > used ? limit - used : 0;
  }
  return ~std::uint64_t{0};
}

// Whether a hypervisor is told of free memory, so that it can take it back: free page reporting is feature 5 of
// virtio's balloon (virtio 1.2, 5.5.3).
bool is_reported_when_free() {
  constexpr std::size_t reporting = 5;
  std::error_code none;
  for (std::filesystem::directory_iterator entry{"/sys/bus/virtio/drivers/virtio_balloon", none}, end;
       !none && entry != end; entry.increment(none)) {
    std::string features;
    if (std::ifstream{entry->path() / "features"} >> features && features.size() > reporting &&
        features[reporting] == '1')
      return true;
  }
  return false;
}

double touch_rate(std::uint64_t bytes) {
  std::vector<std::byte*> pieces;
  double seconds = 0;
  for (std::uint64_t touched = 0; touched < bytes; touched += some) {
    auto* const memory = detail::os::allocate_pages(some);
    if (memory == nullptr) break;
    pieces.push_back(memory);
    seconds += touch(memory, some);
  }
  for (auto* const memory : pieces) detail::os::free_pages(memory, some);
  return static_cast<double>(pieces.size() * some) / seconds / 1e6;
}

}  // namespace

std::uint64_t available_memory() { return std::min(free_by_the_system(), left_by_the_group()); }

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

/// Seconds that the touch of it took; infinite where there is no more.
double held_pages::take_some() {
  double seconds = 0;
  for (std::size_t taken = 0; taken < some; taken += piece_) {
    auto* const memory = detail::os::allocate_pages(piece_);
    if (memory == nullptr) return std::numeric_limits<double>::infinity();
    pieces_.push_back(memory);
    seconds += touch(memory, piece_);
  }
  return seconds;
}

bool held_pages::take_until_slow(double patience) {
  if (fastest_ == 0) {
    // What was just given back shows how fast memory can be.
    take_some();
    release();
    fastest_ = take_some();
  }
  const std::uint64_t most = available_memory() / 2 / some;
  const stopwatch tried;
  int slow = 0;
  for (std::uint64_t taken = 0; taken < most && tried.seconds() < patience && slow < in_a_row; ++taken) {
    throw_if_interrupted();
    const double seconds = take_some();
    if (seconds == std::numeric_limits<double>::infinity()) return false;
    slow = seconds > brought_in * fastest_ ? slow + 1 : 0;
    fastest_ = std::min(fastest_, seconds);
  }
  return slow == in_a_row;
}

void held_pages::release() noexcept {
  for (auto* const memory : pieces_) detail::os::free_pages(memory, piece_);
  pieces_.clear();
}

memory_in_use::memory_in_use() : comes_to_rest_{is_reported_when_free()} {}

void memory_in_use::release() noexcept {
  huge_.release();
  small_.release();
}

touch_speeds measure_first_touch() {
  constexpr std::uint64_t most = std::uint64_t{64} << 20;  // every measuring call waits for this
  const std::uint64_t bytes = std::min(most, available_memory() / 4);
  if (bytes == 0) return {};
  // In this order: what touch_rate() gives back is what its next call gets.
  touch_speeds speeds;
  speeds.fresh = touch_rate(bytes);
  speeds.reused = touch_rate(bytes);
  return speeds;
}

}  // namespace freshet::tool
