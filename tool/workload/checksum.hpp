// A checksum that takes less time than memory does to deliver the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace freshet::tool {

/// XXH3 (64 bits) of a stream of bytes, in whatever pieces they come. It is compared within one run only and never
/// stored.
class checksum {
 public:
  /// @throws std::bad_alloc
  checksum();

  void add(std::span<const std::byte> bytes) noexcept;

  /// Lets a workload write into it, so that the checksum of what it would write is known without a file.
  void write(std::span<const std::byte> bytes) noexcept { add(bytes); }
  void write(std::string_view text) noexcept { add(std::as_bytes(std::span{text})); }

  /// The checksum of all bytes so far.
  [[nodiscard]] std::uint64_t value() const noexcept;

 private:
  struct release {
    void operator()(void* state) const noexcept;
  };
  std::unique_ptr<void, release> state_;
};

}  // namespace freshet::tool
