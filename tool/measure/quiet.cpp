#include "tool/measure/quiet.hpp"

#include <freshet/error.hpp>

#include "src/os/file.hpp"
#include "tool/base/clock.hpp"
#include "tool/base/interrupt.hpp"

namespace freshet::tool {
namespace {

constexpr double calm = 0.05;  // seconds without work
// Bytes that other processes may write between two looks. So little does not disturb a trial, and waiting for it to end
// could take forever.
constexpr std::uint64_t trickle = std::uint64_t{1} << 20;

}  // namespace

void write_out(const std::filesystem::path& directory) {
  std::error_code failure;
  const detail::os::file inside = detail::os::file::open_existing(directory, failure);
  if (!failure) detail::os::sync_file_system(inside, failure);
  if (failure) throw error{failure, "sync the file system of", directory};
}

bool wait_until_quiet(const std::filesystem::path& directory, const std::string& device_name, idle_baseline& idle,
                      double patience) {
  write_out(directory);
  auto last = detail::os::read_device_counters(device_name);
  if (!last) return true;
  const stopwatch waited;
  for (stopwatch undisturbed; undisturbed.seconds() < calm;) {
    if (waited.seconds() > patience) return false;
    idle.start();
    sleep_interruptibly(calm / 3);
    const auto now = detail::os::read_device_counters(device_name);
    if (!now) return true;
    if (now->in_flight != 0 || now->written_bytes - last->written_bytes > trickle)
      undisturbed = stopwatch{};
    else
      idle.stop();
    last = now;
  }
  return true;
}

}  // namespace freshet::tool
