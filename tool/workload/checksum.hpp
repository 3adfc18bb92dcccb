// A checksum that is faster than memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "src/filter/running_checksum.hpp"

namespace freshet::tool {

/// The library's checksum of a stream of bytes, which may come in pieces of any length, as something that workloads can
/// write to. It is not safe against forgery.
class checksum {
 public:
  /// Adds bytes, under the name that workloads write to, so that no file is needed.
  void write(std::span<const std::byte> bytes) noexcept { sum_.add(bytes); }
  void write(std::string_view text) noexcept { write(std::as_bytes(std::span{text})); }

  /// The checksum of all bytes so far.
  [[nodiscard]] std::uint64_t value() const noexcept { return sum_.result().value; }

 private:
  detail::running_checksum sum_;
};

}  // namespace freshet::tool
