// Memory that is wiped when it is no longer needed.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace freshet::detail {

/// Overwrites `bytes` in a way that the compiler cannot leave out.
void wipe(std::span<std::byte> bytes) noexcept;

/// A key of 32 bytes.
class secret {
 public:
  static constexpr std::size_t length = 32;

  secret() noexcept = default;
  secret(const secret&) = delete;
  secret& operator=(const secret&) = delete;
  ~secret() { wipe(bytes_); }

  [[nodiscard]] std::span<std::byte, length> bytes() noexcept { return bytes_; }
  [[nodiscard]] std::span<const std::byte, length> bytes() const noexcept { return bytes_; }

 private:
  std::array<std::byte, length> bytes_{};
};

}  // namespace freshet::detail
