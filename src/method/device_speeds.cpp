#include "src/method/device_speeds.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace freshet::detail {
namespace {

// Devices are only added, never removed.
std::atomic<shared_device*> all_devices{nullptr};

}  // namespace

shared_device* shared_device::find(std::uint64_t number) noexcept {
  for (shared_device* each = all_devices.load(std::memory_order_acquire); each != nullptr; each = each->next_)
    if (each->number_ == number) return each;
  auto* const added = new (std::nothrow) shared_device{number};
  if (added == nullptr) return nullptr;
  added->next_ = all_devices.load(std::memory_order_relaxed);
  // Two threads may add the same device: the later one is found by all, and the other one stays unused.
  while (!all_devices.compare_exchange_weak(added->next_, added, std::memory_order_acq_rel)) {
  }
  return added;
}

device_speeds shared_device::speeds() const noexcept {
  device_speeds known{.waits = {}, .accepted = accepted_, .accepted_bytes = accepted_bytes_};
  for (std::size_t i = 0; i < known.waits.size(); ++i) known.waits[i] = {waits_[i], bytes_[i]};
  return known;
}

void shared_device::learn(const device_speeds& speeds) noexcept {
  for (std::size_t i = 0; i < speeds.waits.size(); ++i) {
    waits_[i] = speeds.waits[i].seconds_per_byte;
    bytes_[i] = speeds.waits[i].bytes;
  }
  accepted_ = speeds.accepted;
  accepted_bytes_ = speeds.accepted_bytes;
}

unsigned shared_device::count_writers(std::uint64_t& last, double now) noexcept {
  const auto tenth = static_cast<std::uint64_t>(now * 10);
  if (std::uint64_t known = tenth_; known < tenth && tenth_.compare_exchange_strong(known, tenth))
    writers_before_ = known + 1 == tenth ? writers_.exchange(0) : (writers_ = 0);
  if (std::exchange(last, tenth) != tenth) ++writers_;
  return std::max({1U, writers_.load(), writers_before_.load()});
}

bool shared_device::begin_exploring(const void* file) noexcept {
  const void* nobody = nullptr;
  return explorer_.compare_exchange_strong(nobody, file) || nobody == file;
}

void shared_device::end_exploring(const void* file) noexcept {
  const void* expected = file;
  explorer_.compare_exchange_strong(expected, nullptr);
}

bool shared_device::may_explore(const void* file) const noexcept {
  const void* const explorer = explorer_;
  return explorer == nullptr || explorer == file;
}

void shared_device::forget_all() noexcept {
  for (shared_device* each = all_devices; each != nullptr; each = each->next_) {
    each->learn({});
    each->keep_way(way::cached);
  }
}

}  // namespace freshet::detail
