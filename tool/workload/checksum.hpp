// A checksum that is faster than memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

struct XXH3_state_s;  // NOLINT(readability-identifier-naming): theirs

namespace freshet::tool {

/// XXH3 (64 bits) of a stream of bytes, which may come in pieces of any length. It is not safe against forgery.
class checksum {
 public:
  /// @throws std::bad_alloc
  checksum();

  /// Adds bytes, under the name that workloads write to, so that no file is needed.
  void write(std::span<const std::byte> bytes) noexcept;
  void write(std::string_view text) noexcept { write(std::as_bytes(std::span{text})); }

  /// The checksum of all bytes so far.
  [[nodiscard]] std::uint64_t value() const noexcept;

 private:
  struct release {
    void operator()(XXH3_state_s* state) const noexcept;
  };
  std::unique_ptr<XXH3_state_s, release> state_;
};

}  // namespace freshet::tool
