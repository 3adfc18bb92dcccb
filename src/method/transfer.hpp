// Finishing what one system call began: short writes and interruptions are dealt with here, once for all methods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>

#include "src/os/file.hpp"

namespace freshet::detail {

/// One attempt to write, as os::file makes it.
using write_attempt = std::size_t (*)(os::file& target, std::span<const std::byte> bytes, std::uint64_t offset,
                                      std::error_code& error);

/// The attempts there are: at an offset, at the descriptor's own position, with RWF_DONTCACHE, and past the page cache.
std::size_t attempt_at(os::file& target, std::span<const std::byte> bytes, std::uint64_t offset,
                       std::error_code& error);
std::size_t attempt_append(os::file& target, std::span<const std::byte> bytes, std::uint64_t offset,
                           std::error_code& error);
std::size_t attempt_dontcache(os::file& target, std::span<const std::byte> bytes, std::uint64_t offset,
                              std::error_code& error);
/// As far as `bytes` are aligned; head and tail go through the page cache, so that the file never shows padding.
/// Precondition: no other write to `target` is in flight, and memory and offset are equal modulo smallest_block.
std::size_t attempt_direct(os::file& target, std::span<const std::byte> bytes, std::uint64_t offset,
                           std::error_code& error);

/// Repeats `attempt` until `bytes` are written or it fails; returns how many were written.
std::size_t write_all(os::file& target, std::span<const std::byte> bytes, std::uint64_t offset, write_attempt attempt,
                      std::error_code& error);

/// One attempt to read, as os::file makes it.
using read_attempt = std::size_t (*)(os::file& source, std::span<std::byte> into, std::uint64_t offset,
                                     std::error_code& error);

/// The attempts there are: at an offset, at the descriptor's own position, and past the page cache.
std::size_t fetch_at(os::file& source, std::span<std::byte> into, std::uint64_t offset, std::error_code& error);
std::size_t fetch_next(os::file& source, std::span<std::byte> into, std::uint64_t offset, std::error_code& error);
/// As far as `into` is aligned; head and tail come through the page cache, and so does what the file system will not
/// read otherwise. Precondition: memory and offset are equal modulo smallest_block.
std::size_t fetch_direct(os::file& source, std::span<std::byte> into, std::uint64_t offset, std::error_code& error);

/// Makes `attempt`, again as long as a signal interrupts it; returns how many bytes it read, 0 at the end of the file.
std::size_t read_some(os::file& source, std::span<std::byte> into, std::uint64_t offset, read_attempt attempt,
                      std::error_code& error);

/// Where the bytes from `offset` on lie in `memory`: blocks end at multiples of their size in the file, and memory and
/// file are aligned alike. Precondition: its size is a power of two.
[[nodiscard]] std::span<std::byte> place_of(std::uint64_t offset, std::span<std::byte> memory) noexcept;

/// `bytes` at an offset, cut where direct I/O must be: only `middle` starts and ends at multiples of smallest_block.
struct aligned_parts {
  std::span<const std::byte> head;
  std::span<const std::byte> middle;
  std::span<const std::byte> tail;
};
/// Whether all of `bytes` at `offset` may go past the page cache straight from where it is.
[[nodiscard]] bool is_aligned(std::span<const std::byte> bytes, std::uint64_t offset) noexcept;
[[nodiscard]] aligned_parts split_aligned(std::span<const std::byte> bytes, std::uint64_t offset) noexcept;

/// Whether a call that failed so may simply be made again.
[[nodiscard]] bool is_interruption(std::error_code error) noexcept;

/// Whether a transfer through a queue that ended so may simply be made again. io_uring cancels what it has not started
/// when the thread that submitted it ends, as after handing a writer or reader over.
[[nodiscard]] bool may_be_repeated(std::error_code error) noexcept;

/// Whether a queue could not be had because other files have them all, or the memory that may be locked for them
/// (RLIMIT_MEMLOCK counts all processes of a user): no reason to fail what can do without.
[[nodiscard]] bool is_shortage(std::error_code error) noexcept;

/// Makes `call`, which sets `error`, again as long as a signal interrupts it.
template <typename Call>
void uninterrupted(const std::error_code& error, Call call) {
  do call();
  while (is_interruption(error));
}

}  // namespace freshet::detail
