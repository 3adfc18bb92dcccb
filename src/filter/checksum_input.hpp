// Compares the checksum of what a program reads with the one that it expects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>

#include "src/filter/filtered_input.hpp"
#include "src/filter/running_checksum.hpp"

namespace freshet::detail {

/// A source that passes everything on unchanged; its window is that of the inner source. It has no positions: a
/// checksum needs all bytes. Where the file ends, it reports an error if they are not the expected ones.
class checksum_input final : public filtered_input {
 public:
  /// Precondition: running_checksum::is_available(). @throws std::bad_alloc
  checksum_input(std::unique_ptr<source> inner, const checksum& expected);

  void seek(std::uint64_t offset) noexcept override;
  [[nodiscard]] bool can_seek() noexcept override { return false; }
  /// Also compares if all bytes were taken, even if the program did not meet the end.
  void close(std::size_t used) noexcept override;
  [[nodiscard]] std::uint64_t size(std::error_code& failure) noexcept override { return inner_->size(failure); }

 private:
  bool fetch() noexcept override;
  [[nodiscard]] std::size_t read_piece(std::span<std::byte> into) noexcept override;
  void follow() noexcept;
  void compare() noexcept;

  checksum expected_;
  running_checksum sum_;
  bool ended_ = false;
};

}  // namespace freshet::detail
