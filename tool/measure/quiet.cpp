#include "quiet.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <freshet/error.hpp>

#include "interrupt.hpp"
#include "measure/clock.hpp"
#include "os/file.hpp"

namespace freshet::tool {
namespace {

constexpr double calm = 0.1;
constexpr double patience = 10;

void write_out(const std::filesystem::path& directory) {
  std::error_code failure;
  const os::file inside = os::file::open(
      directory, {.what = os::open_request::disposition::existing, .read = true, .write = false}, failure);
  if (!failure) os::sync_file_system(inside, failure);
  if (failure) throw error{failure, "sync the file system of", directory};
}

// Private memory in pieces, so that a large wish is granted as far as there is memory, and a signal is seen soon.
class memory_pieces {
 public:
  static constexpr std::size_t piece = std::size_t{64} << 20;

  memory_pieces() = default;
  memory_pieces(const memory_pieces&) = delete;
  memory_pieces& operator=(const memory_pieces&) = delete;
  ~memory_pieces() {
    for (std::byte* memory : pieces_) os::free_pages(memory, piece);
  }

  // Takes one more piece and writes to each of its pages; false when there is none.
  bool touch_one() {
    std::byte* memory = os::allocate_pages(piece);
    if (memory == nullptr) return false;
    pieces_.push_back(memory);
    for (std::size_t at = 0; at < piece; at += os::page_size())
      *static_cast<volatile std::byte*>(memory + at) = std::byte{1};
    return true;
  }

 private:
  std::vector<std::byte*> pieces_;
};

double touch_rate(std::uint64_t bytes) {
  memory_pieces memory;
  const stopwatch watch;
  std::uint64_t touched = 0;
  while (touched < bytes && memory.touch_one()) touched += memory_pieces::piece;
  return static_cast<double>(touched) / watch.seconds() / 1e6;
}

}  // namespace

bool wait_until_quiet(const std::filesystem::path& directory, const std::string& device_name, idle_baseline& idle) {
  write_out(directory);
  auto last = os::read_device_counters(device_name);
  if (!last) return true;
  const stopwatch waited;
  for (stopwatch undisturbed; undisturbed.seconds() < calm;) {
    if (waited.seconds() > patience) return false;
    idle.start();
    sleep_interruptibly(calm / 4);
    const auto now = os::read_device_counters(device_name);
    if (!now) return true;
    if (now->in_flight != 0 || now->written_bytes != last->written_bytes)
      undisturbed = stopwatch{};
    else
      idle.stop();
    last = now;
  }
  return true;
}

void prepare_memory(std::uint64_t bytes) {
  const std::uint64_t wanted = std::min(bytes, available_memory() / 5 * 4);
  memory_pieces memory;
  for (std::uint64_t touched = 0; touched < wanted; touched += memory_pieces::piece) {
    throw_if_interrupted();
    if (!memory.touch_one()) return;
  }
}

std::uint64_t available_memory() {
  std::ifstream in{"/proc/meminfo"};
  std::string label;
  std::uint64_t kibibytes = 0;
  for (std::string unit; in >> label >> kibibytes; std::getline(in, unit))
    if (label == "MemAvailable:") return kibibytes << 10;
  return 0;
}

touch_speeds measure_first_touch() {
  constexpr std::uint64_t most = std::uint64_t{256} << 20;
  const std::uint64_t bytes = std::min(most, available_memory() / 4);
  if (bytes == 0) return {};
  // In this order: what touch_rate() gives back is what its next call gets.
  touch_speeds speeds;
  speeds.fresh = touch_rate(bytes);
  speeds.reused = touch_rate(bytes);
  return speeds;
}

}  // namespace freshet::tool
