// What the files of this process have learned of each device, shared by all of them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "src/method/read_switching.hpp"
#include "src/method/switching.hpp"

namespace freshet::detail {

/// Speeds that are written and read without a lock.
class shared_speeds {
 public:
  [[nodiscard]] way_speeds load() const noexcept;
  void store(const way_speeds& speeds) noexcept;

 private:
  std::array<std::atomic<double>, 2> seconds_per_byte_{};
  std::array<std::atomic<std::uint64_t>, 2> bytes_{};
};

/// What is known of one device. Its figures are written and read without a lock, which the child of a fork could
/// inherit held: each is valid by itself, and a mixture of two measurements does no harm.
class shared_device {
 public:
  /// The device of that number (file_status::device). It lives as long as the process. Null if there is no memory.
  [[nodiscard]] static shared_device* find(std::uint64_t number) noexcept;

  [[nodiscard]] device_speeds speeds() const noexcept;
  void learn(const device_speeds& speeds) noexcept;

  /// The same for reading what the page cache does not hold.
  [[nodiscard]] way_speeds reading() const noexcept { return reading_.load(); }
  void learn_reading(const way_speeds& speeds) noexcept { reading_.store(speeds); }

  /// Counts the caller's file among those that go `by` a way, and returns how many wrote within the last tenth of a
  /// second. `last`: the caller's own tenth, kept from call to call; 0 at first. `now`: seconds.
  [[nodiscard]] writers_at_once count_writers(way by, std::uint64_t& last, double now) noexcept;

  /// Makes `file` the only one that explores; false if another one does.
  bool begin_exploring(const void* file) noexcept;
  void end_exploring(const void* file) noexcept;
  [[nodiscard]] bool may_explore(const void* file) const noexcept;

  /// The way that a file went in the end, for the next one.
  void keep_way(way last) noexcept { last_ = last; }
  [[nodiscard]] way last_way() const noexcept { return last_; }

  /// Forgets all that was learned of all devices. No file may be open. For tests, and trials of a process's
  /// first file.
  static void forget_all() noexcept;

  shared_device(const shared_device&) = delete;
  shared_device& operator=(const shared_device&) = delete;

 private:
  explicit shared_device(std::uint64_t number) noexcept : number_{number} {}
  ~shared_device() = default;

  const std::uint64_t number_;
  shared_device* next_ = nullptr;
  shared_speeds writing_;
  shared_speeds reading_;
  std::atomic<double> accepted_{0};
  std::atomic<std::uint64_t> accepted_bytes_{0};
  std::atomic<std::uint64_t> tenth_{0};             // of a second, since the clock's beginning
  std::array<std::atomic<unsigned>, 2> writers_{};  // in this tenth, by way
  std::array<std::atomic<unsigned>, 2> writers_before_{};
  std::atomic<const void*> explorer_{nullptr};
  std::atomic<way> last_{way::cached};
};

}  // namespace freshet::detail
