// The memory that blocks live in: aligned, reused, bounded for the whole process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace freshet::detail {

inline constexpr std::size_t smallest_block = 4096;
inline constexpr std::size_t first_block = std::size_t{64} << 10;
inline constexpr std::size_t largest_block = std::size_t{64} << 20;

/// A piece of aligned memory from the pool; goes back to it in the end.
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

/// All blocks of the process, in use and idle, under one cap.
class pool {
 public:
  /// Bytes that all blocks together may take, idle ones included: 256 MiB.
  [[nodiscard]] static std::size_t cap() noexcept;
  /// Bytes of all blocks in use.
  [[nodiscard]] static std::size_t in_use() noexcept;

  /// A block of `size` bytes, or a smaller power of two where the cap leaves no more, down to smallest_block, which is
  /// always granted. Empty only when the system is out of memory. Precondition: `size` is a power of two, at least
  /// smallest_block.
  [[nodiscard]] static block take(std::size_t size) noexcept;

  /// A block of exactly `size` bytes, or an empty one where the cap or the system has no room for it.
  [[nodiscard]] static block try_take(std::size_t size) noexcept;

  /// Gives all idle blocks back to the system.
  static void release_idle() noexcept;

 private:
  friend class block;
  static void put_back(std::span<std::byte> memory) noexcept;
};

inline block::~block() {
  if (!memory_.empty()) pool::put_back(memory_);
}

}  // namespace freshet::detail
