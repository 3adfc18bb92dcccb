// The content of the workload `blocks`: bytes that nothing can compress, as a program has them in memory already.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace freshet::tool {

/// Random bytes, longer than any block, that repeat throughout the file. They are generated before the clock starts, so
/// that the time is that of writing.
class block_data {
 public:
  static constexpr std::size_t length = std::size_t{64} << 20;

  /// The same bytes for the same `seed`, on every machine; more than `length` of them only for a program that hands
  /// over as many at once. @throws std::bad_alloc
  explicit block_data(std::uint64_t seed, std::size_t bytes = length);

  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    return {memory_.get(), memory_.get_deleter().length};
  }

 private:
  struct page_deleter {
    std::size_t length = 0;
    void operator()(std::byte* memory) const noexcept;
  };
  // Aligned to pages, so that direct I/O need not copy it.
  std::unique_ptr<std::byte, page_deleter> memory_;
};

}  // namespace freshet::tool
