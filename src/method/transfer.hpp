// Completes what one system call leaves unfinished: short transfers and interruptions, in one place for all methods.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <system_error>

#include "src/os/file.hpp"

namespace freshet::detail {

/// Makes one system call that writes; returns how many bytes it wrote.
using write_function = std::size_t (*)(os::file& target, std::span<const std::byte> bytes, std::uint64_t offset,
                                       std::error_code& error);

/// At an offset; at the descriptor's own position, ignoring `offset`; and at an offset with RWF_DONTCACHE. Where the
/// system refuses calls with an offset, as some files of /proc and filters of system calls do, the first moves the
/// descriptor's position for a moment.
std::size_t pwrite_once(os::file& target, std::span<const std::byte> bytes, std::uint64_t offset,
                        std::error_code& error);
std::size_t append_once(os::file& target, std::span<const std::byte> bytes, std::uint64_t offset,
                        std::error_code& error);
std::size_t pwrite_dontcache_once(os::file& target, std::span<const std::byte> bytes, std::uint64_t offset,
                                  std::error_code& error);
/// With O_DIRECT as far as `bytes` are aligned; head and tail go through the page cache, so that the file never
/// contains padding. Precondition: no other write to `target` is in flight, and memory and offset are equal modulo
/// smallest_block.
std::size_t pwrite_direct_once(os::file& target, std::span<const std::byte> bytes, std::uint64_t offset,
                               std::error_code& error);

/// Repeats `write_once` until `bytes` are written or it fails; returns how many were written.
std::size_t write_all(os::file& target, std::span<const std::byte> bytes, std::uint64_t offset,
                      write_function write_once, std::error_code& error);

/// Writes `first` and then `second` at the descriptor's own position, in one call where the system takes both at once;
/// repeats it until they are written or it fails. Returns how many bytes were written. Where it takes two calls, each
/// has one of the two.
std::size_t append_all(os::file& target, std::span<const std::byte> first, std::span<const std::byte> second,
                       std::error_code& error);

/// The first of `bytes`, which belong at `offset`, for one call: up to the next multiple of `most` in the file, so that
/// the page cache takes them in folios of that size at most. 0: all of them.
[[nodiscard]] std::span<const std::byte> next_piece(std::span<const std::byte> bytes, std::uint64_t offset,
                                                    std::size_t most) noexcept;

/// Makes one system call that reads; returns how many bytes it read.
using read_function = std::size_t (*)(os::file& source, std::span<std::byte> into, std::uint64_t offset,
                                      std::error_code& error);

/// At an offset, by the descriptor's position where the system refuses calls with an offset; and at the descriptor's
/// own position, ignoring `offset`.
std::size_t pread_once(os::file& source, std::span<std::byte> into, std::uint64_t offset, std::error_code& error);
std::size_t read_once(os::file& source, std::span<std::byte> into, std::uint64_t offset, std::error_code& error);
/// At an offset through the page cache, also after direct reads of the same file.
std::size_t pread_cached_once(os::file& source, std::span<std::byte> into, std::uint64_t offset,
                              std::error_code& error);
/// With O_DIRECT as far as `into` is aligned. Head and tail come through the page cache, and so does everything that
/// the file system refuses to read directly. Precondition: memory and offset are equal modulo smallest_block.
std::size_t pread_direct_once(os::file& source, std::span<std::byte> into, std::uint64_t offset,
                              std::error_code& error);

/// Calls `read_once`, and repeats it while signals interrupt it; returns how many bytes it read, 0 at the end of the
/// file.
std::size_t read_some(os::file& source, std::span<std::byte> into, std::uint64_t offset, read_function read_once,
                      std::error_code& error);

/// Whether the file has a byte at `offset` at this moment.
[[nodiscard]] bool has_byte_at(os::file& source, std::uint64_t offset) noexcept;

/// Whether `file` has a position of its own; pipes, sockets and terminals do not.
[[nodiscard]] inline bool has_own_position(const os::file& file) noexcept {
  std::error_code error;
  static_cast<void>(file.position(error));
  return !error;
}

/// The part of `memory` for the bytes from `offset` on: blocks end at multiples of their size in the file, so that
/// memory and file have the same alignment. Precondition: its size is a power of two.
[[nodiscard]] std::span<std::byte> place_of(std::uint64_t offset, std::span<std::byte> memory) noexcept;

/// Bytes split for direct I/O: only `middle` starts and ends at multiples of smallest_block in the file.
struct aligned_parts {
  std::span<const std::byte> head;
  std::span<const std::byte> middle;
  std::span<const std::byte> tail;
};
/// Whether direct I/O can write all of `bytes` to `offset` from where they are.
[[nodiscard]] bool is_aligned(std::span<const std::byte> bytes, std::uint64_t offset) noexcept;
[[nodiscard]] aligned_parts split_aligned(std::span<const std::byte> bytes, std::uint64_t offset) noexcept;

/// The bytes that a method which writes past the page cache has in the page cache. They must be on the device before
/// it makes the file larger: otherwise a power cut could leave later bytes behind a hole.
class cached_bytes {
 public:
  /// `start`: where the method begins; earlier bytes were written through the page cache.
  explicit cached_bytes(std::uint64_t start) noexcept : from_{start > 0 ? 0 : none} {}

  void add(std::uint64_t offset) noexcept { from_ = std::min(from_, offset); }
  /// Returns when those before `end` are on the device.
  void write_back(os::file& target, std::uint64_t end, std::error_code& error) noexcept;

 private:
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t from_;
};

/// Writes all of `bytes` past the page cache, except for unaligned ends, which it adds to `cached`. Returns how many
/// bytes it wrote.
[[nodiscard]] std::size_t write_all_direct(os::file& target, std::span<const std::byte> bytes, std::uint64_t offset,
                                           cached_bytes& cached, std::error_code& error);

/// Whether a call that failed with `error` was interrupted by a signal and can be repeated.
[[nodiscard]] bool is_interruption(std::error_code error) noexcept;

/// Whether a queued transfer that ended with `error` can be repeated. io_uring cancels a transfer that it has not
/// started when the submitting thread ends, which happens after a writer or reader is passed to another thread.
[[nodiscard]] bool may_be_repeated(std::error_code error) noexcept;

/// Whether a queue, or a transfer of one, was refused because others use up all queues, all lockable memory
/// (RLIMIT_MEMLOCK counts all processes of a user) or all the kernel's memory for requests. Waiting may help, and
/// writing and reading can do without a queue.
[[nodiscard]] bool is_shortage(std::error_code error) noexcept;

/// Whether the system refused the call itself: it lacks it (ENOSYS), the file system or the kind of file does not
/// support it (EOPNOTSUPP, EINVAL, ENODEV, ESPIPE), or a filter of system calls, as sandboxes and containers have them,
/// does not allow it (EPERM, EACCES, or any of the others). What is only a hint is then left out, and a method that
/// nobody named is replaced.
[[nodiscard]] bool is_refusal(std::error_code error) noexcept;

/// Waits between the attempts at a call that failed for a shortage: 0.1 ms at first, twice as long each time, 0.2 s in
/// all.
class patience {
 public:
  /// Waits, or returns false where enough was waited.
  [[nodiscard]] bool wait() noexcept;

 private:
  std::chrono::microseconds next_{100};
};

/// Calls `call`, which sets `error`, and repeats it while signals interrupt it.
template <typename Call>
void uninterrupted(const std::error_code& error, Call call) {
  do call();
  while (is_interruption(error));
}

}  // namespace freshet::detail
