// The memory of all blocks: aligned, reused, and limited for the whole process.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace freshet::detail {

inline constexpr std::size_t smallest_block = 4096;
/// What writing starts with, and reading where few bytes may be wanted: as much as std::filebuf's buffer has.
inline constexpr std::size_t first_block = std::size_t{8} << 10;
/// Up to this size a file is written and read in the same way, whatever it is and whatever its profile says.
inline constexpr std::size_t small_file = std::size_t{64} << 10;
inline constexpr std::size_t largest_block = std::size_t{64} << 20;

/// A piece of aligned memory from the pool, to which the destructor returns it.
class block {
 public:
  block() noexcept = default;
  block(block&& other) noexcept : memory_{std::exchange(other.memory_, {})} {}
  block& operator=(block&& other) noexcept {
    std::swap(memory_, other.memory_);
    return *this;
  }
  block(const block&) = delete;
  block& operator=(const block&) = delete;
  ~block();

  [[nodiscard]] std::byte* data() const noexcept { return memory_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return memory_.size(); }
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return memory_; }
  explicit operator bool() const noexcept { return !memory_.empty(); }

 private:
  friend class pool;
  explicit block(std::span<std::byte> memory) noexcept : memory_{memory} {}
  std::span<std::byte> memory_;
};

/// All blocks of the process, in use and idle, under one limit.
class pool {
 public:
  /// The limit of all blocks together, idle ones included: 256 MiB.
  [[nodiscard]] static std::size_t cap() noexcept;
  /// Bytes of all blocks in use.
  [[nodiscard]] static std::size_t in_use() noexcept;

  /// Returns a block of `size` bytes or, near the limit, a smaller power of two; smallest_block is always granted.
  /// Empty only when the system is out of memory. Precondition: `size` is a power of two, at least smallest_block.
  [[nodiscard]] static block take(std::size_t size) noexcept;

  /// Returns a block of exactly `size` bytes, or an empty one if the limit or the system does not allow it.
  [[nodiscard]] static block try_take(std::size_t size) noexcept;

  /// How large a block may be while many are in use, in bytes: 64 MiB divided among them.
  [[nodiscard]] static std::size_t fair_share() noexcept;

  /// Returns all idle blocks to the system.
  static void release_idle() noexcept;

 private:
  friend class block;
  static void put_back(std::span<std::byte> memory) noexcept;
};

inline block::~block() {
  if (!memory_.empty()) pool::put_back(memory_);
}

}  // namespace freshet::detail
