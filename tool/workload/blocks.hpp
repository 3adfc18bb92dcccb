// Blocks of bytes that nothing can compress: what a program writes that has its data in memory already.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace freshet::tool {

/// The bytes of the workload `blocks`, made once, ahead of the clock: a stretch of random bytes, longer than any block,
/// that repeats throughout the file. Making new ones while the clock runs would measure the making.
class block_data {
 public:
  static constexpr std::size_t length = std::size_t{64} << 20;

  /// The same bytes for the same `seed`, on every machine. @throws std::bad_alloc
  explicit block_data(std::uint64_t seed);

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {memory_.get(), length}; }

 private:
  struct give_back {
    void operator()(std::byte* memory) const noexcept;
  };
  // Page-aligned, so that direct I/O can take it from where it is.
  std::unique_ptr<std::byte, give_back> memory_;
};

/// Hands the bytes out in order, a block at a time.
class block_source {
 public:
  /// `size` bytes in blocks of `block` bytes. Preconditions: `data` outlives it; 0 < block <= block_data::length.
  block_source(const block_data& data, std::uint64_t size, std::size_t block) noexcept
      : data_{data.bytes()}, size_{size}, block_{block} {}

  /// Writes up to `count` further blocks to `out`, which needs write(std::span<const std::byte>); false when the file
  /// is complete.
  template <typename Out>
  bool write_some(Out& out, std::uint64_t count) {
    for (; count != 0 && bytes_ < size_; --count) {
      const auto from = static_cast<std::size_t>(bytes_ % data_.size());
      const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(block_, size_ - bytes_));
      const auto piece = data_.subspan(from, std::min(wanted, data_.size() - from));
      out.write(piece);
      bytes_ += piece.size();
    }
    return bytes_ < size_;
  }

  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  std::span<const std::byte> data_;
  std::uint64_t size_;
  std::size_t block_;
  std::uint64_t bytes_ = 0;
};

}  // namespace freshet::tool
