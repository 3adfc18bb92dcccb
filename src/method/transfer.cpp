#include "transfer.hpp"

#include <algorithm>

#include "../pool.hpp"

namespace freshet {

std::size_t attempt_at(os::file& target, std::span<const std::byte> bytes, std::uint64_t offset,
                       std::error_code& error) {
  return target.write_at(bytes, offset, error);
}

std::size_t attempt_append(os::file& target, std::span<const std::byte> bytes, std::uint64_t, std::error_code& error) {
  return target.write(bytes, error);
}

std::size_t attempt_dontcache(os::file& target, std::span<const std::byte> bytes, std::uint64_t offset,
                              std::error_code& error) {
  return target.write_dontcache(bytes, offset, error);
}

std::size_t attempt_direct(os::file& target, std::span<const std::byte> bytes, std::uint64_t offset,
                           std::error_code& error) {
  const auto parts = split_aligned(bytes, offset);
  const bool direct = parts.head.empty() && !parts.middle.empty();
  target.set_direct(direct, error);
  if (error) return 0;
  return target.write_at(direct ? parts.middle : !parts.head.empty() ? parts.head : parts.tail, offset, error);
}

bool is_interruption(std::error_code error) noexcept { return error == std::errc::interrupted; }

std::size_t write_all(os::file& target, std::span<const std::byte> bytes, std::uint64_t offset, write_attempt attempt,
                      std::error_code& error) {
  std::size_t written = 0;
  error.clear();
  while (written < bytes.size()) {
    const std::size_t taken = attempt(target, bytes.subspan(written), offset + written, error);
    written += taken;
    if (error && !is_interruption(error)) return written;
    if (!error && taken == 0) {  // or this would go on for ever
      error = std::make_error_code(std::errc::io_error);
      return written;
    }
    error.clear();
  }
  return written;
}

bool is_aligned(std::span<const std::byte> bytes, std::uint64_t offset) noexcept {
  return (reinterpret_cast<std::uintptr_t>(bytes.data()) | bytes.size() | offset) % smallest_block == 0;
}

aligned_parts split_aligned(std::span<const std::byte> bytes, std::uint64_t offset) noexcept {
  const auto into_page = static_cast<std::size_t>(offset % smallest_block);
  const std::size_t head = into_page == 0 ? 0 : std::min(bytes.size(), smallest_block - into_page);
  const std::size_t tail = (bytes.size() - head) % smallest_block;
  return {bytes.first(head), bytes.subspan(head, bytes.size() - head - tail), bytes.last(tail)};
}

}  // namespace freshet
