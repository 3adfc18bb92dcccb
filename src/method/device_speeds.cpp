#include "src/method/device_speeds.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace freshet::detail {
namespace {

// Devices are only added, never removed.
std::atomic<shared_device*> all_devices{nullptr};

}  // namespace

way_speeds shared_speeds::load() const noexcept {
  way_speeds speeds;
  for (std::size_t i = 0; i < speeds.waits.size(); ++i) speeds.waits[i] = {seconds_per_byte_[i], bytes_[i]};
  return speeds;
}

void shared_speeds::store(const way_speeds& speeds) noexcept {
  for (std::size_t i = 0; i < speeds.waits.size(); ++i) {
    seconds_per_byte_[i] = speeds.waits[i].seconds_per_byte;
    bytes_[i] = speeds.waits[i].bytes;
  }
}

shared_device* shared_device::find(std::uint64_t number) noexcept {
  shared_device* added = nullptr;
  shared_device* first = all_devices.load(std::memory_order_acquire);
  for (;;) {
    for (shared_device* each = first; each != nullptr; each = each->next_)
      if (each->number_ == number) {
        delete added;
        return each;
      }
    if (added == nullptr) added = new (std::nothrow) shared_device{number};
    if (added == nullptr) return nullptr;
    added->next_ = first;
    // Another thread may just have added the same one.
    if (all_devices.compare_exchange_weak(first, added, std::memory_order_acq_rel)) return added;
  }
}

device_speeds shared_device::speeds() const noexcept { return {writing_.load(), accepted_, accepted_bytes_}; }

void shared_device::learn(const device_speeds& speeds) noexcept {
  writing_.store(speeds);
  accepted_ = speeds.accepted;
  accepted_bytes_ = speeds.accepted_bytes;
}

writers_at_once shared_device::count_writers(way by, std::uint64_t& last, double now) noexcept {
  const auto tenth = static_cast<std::uint64_t>(now * 10);
  if (std::uint64_t known = tenth_; known < tenth && tenth_.compare_exchange_strong(known, tenth))
    for (std::size_t i = 0; i < writers_.size(); ++i) {
      const unsigned counted = writers_[i].exchange(0);
      writers_before_[i] = known + 1 == tenth ? counted : 0;
    }
  const auto same = static_cast<std::size_t>(by);
  if (std::exchange(last, tenth) != tenth) ++writers_.at(same);
  const auto count = [&](std::size_t which) {
    return std::max(writers_.at(which).load(), writers_before_.at(which).load());
  };
  const unsigned same_way = std::max(1U, count(same));
  return {.all = same_way + count(1 - same), .same_way = same_way};
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
    each->learn_reading({});
    each->keep_way(way::cached);
  }
}

}  // namespace freshet::detail
