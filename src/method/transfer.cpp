#include "src/method/transfer.hpp"

#include <algorithm>
#include <array>
#include <thread>

#include "src/base/pool.hpp"

namespace freshet::detail {
namespace {

// Calls `move`, which moves bytes at the descriptor's position, at `offset`, and restores the position. If that is
// refused, too, `error` stays as it is.
template <typename Move>
std::size_t at_position(os::file& target, std::uint64_t offset, std::error_code& error, Move move) {
  std::error_code no_position;
  const std::uint64_t before = target.position(no_position);
  if (!no_position) target.set_position(offset, no_position);
  if (no_position) return 0;
  const std::size_t moved = move();
  target.set_position(before, no_position);
  if (!error) error = no_position;
  return moved;
}

}  // namespace

std::size_t pwrite_once(os::file& target, std::span<const std::byte> bytes, std::uint64_t offset,
                        std::error_code& error) {
  const std::size_t written = target.write_at(bytes, offset, error);
  if (!error || !is_refusal(error)) return written;
  return at_position(target, offset, error, [&] { return target.write(bytes, error); });
}

std::size_t append_once(os::file& target, std::span<const std::byte> bytes, std::uint64_t, std::error_code& error) {
  return target.write(bytes, error);
}

std::size_t pwrite_dontcache_once(os::file& target, std::span<const std::byte> bytes, std::uint64_t offset,
                                  std::error_code& error) {
  return target.write_dontcache(bytes, offset, error);
}

namespace {

// A limit of files' sizes (RLIMIT_FSIZE) leaves room for a part of a page, which direct I/O refuses as it refuses all
// that is not aligned. The page cache takes that part, and then tells the limit. If it takes all, direct I/O was
// refused for another reason.
std::size_t pwrite_up_to_limit(os::file& target, std::span<const std::byte> bytes, std::uint64_t offset,
                               std::error_code& error) {
  const std::error_code refused = error;
  target.set_direct(false, error);
  if (error) return 0;
  const std::size_t written = pwrite_once(target, bytes, offset, error);
  if (error || written < bytes.size()) return written;
  error = refused;
  return 0;
}

}  // namespace

std::size_t pwrite_direct_once(os::file& target, std::span<const std::byte> bytes, std::uint64_t offset,
                               std::error_code& error) {
  const auto parts = split_aligned(bytes, offset);
  const bool direct = parts.head.empty() && !parts.middle.empty();
  target.set_direct(direct, error);
  if (error) return 0;
  if (!direct) return pwrite_once(target, parts.head.empty() ? parts.tail : parts.head, offset, error);
  const std::size_t written = pwrite_once(target, parts.middle, offset, error);
  return error == std::errc::invalid_argument ? pwrite_up_to_limit(target, parts.middle, offset, error) : written;
}

bool is_interruption(std::error_code error) noexcept { return error == std::errc::interrupted; }

bool may_be_repeated(std::error_code error) noexcept {
  return is_interruption(error) || is_shortage(error) || error == std::errc::operation_canceled;
}

bool is_shortage(std::error_code error) noexcept {
  return error == std::errc::not_enough_memory || error == std::errc::resource_unavailable_try_again ||
         error == std::errc::too_many_files_open || error == std::errc::too_many_files_open_in_system ||
         error == std::errc::device_or_resource_busy;
}

bool is_refusal(std::error_code error) noexcept {
  return error == std::errc::operation_not_permitted || error == std::errc::permission_denied ||
         error == std::errc::function_not_supported || error == std::errc::operation_not_supported ||
         error == std::errc::invalid_argument || error == std::errc::no_such_device || error == std::errc::invalid_seek;
}

bool patience::wait() noexcept {
  constexpr std::chrono::microseconds longest{102'400};
  if (next_ > longest) return false;
  std::this_thread::sleep_for(next_);
  next_ *= 2;
  return true;
}

namespace {

// Calls `write_from`, which is passed the number of bytes written before, until `length` bytes are written.
template <typename Write>
std::size_t repeat_until_written(std::size_t length, std::error_code& error, Write write_from) {
  std::size_t written = 0;
  error.clear();
  while (written < length) {
    const std::size_t taken = write_from(written);
    written += taken;
    if (error && !is_interruption(error)) return written;
    if (!error && taken == 0) {  // would be repeated forever
      error = std::make_error_code(std::errc::io_error);
      return written;
    }
    error.clear();
  }
  return written;
}

}  // namespace

std::size_t write_all(os::file& target, std::span<const std::byte> bytes, std::uint64_t offset,
                      write_function write_once, std::error_code& error) {
  return repeat_until_written(bytes.size(), error, [&](std::size_t written) {
    return write_once(target, bytes.subspan(written), offset + written, error);
  });
}

std::size_t append_all(os::file& target, std::span<const std::byte> first, std::span<const std::byte> second,
                       std::error_code& error) {
  return repeat_until_written(first.size() + second.size(), error, [&](std::size_t written) {
    const auto from_first = first.subspan(std::min(written, first.size()));
    const auto from_second = second.subspan(written - std::min(written, first.size()));
    if (from_first.empty()) return target.write(from_second, error);
    const std::size_t both = target.write(from_first, from_second, error);
    return is_refusal(error) ? target.write(from_first, error) : both;
  });
}

std::span<const std::byte> next_piece(std::span<const std::byte> bytes, std::uint64_t offset,
                                      std::size_t most) noexcept {
  if (most == 0) return bytes;
  return bytes.first(std::min(bytes.size(), most - static_cast<std::size_t>(offset % most)));
}

void cached_bytes::write_back(os::file& target, std::uint64_t end, std::error_code& error) noexcept {
  error.clear();
  if (from_ >= end) return;
  uninterrupted(error, [&] { target.wait_writeback(from_, end - from_, error); });
  if (is_refusal(error)) uninterrupted(error, [&] { target.sync_data(error); });
  if (is_refusal(error)) error.clear();  // then the kernel writes them in its own time, as for a file of std
  if (!error) from_ = none;
}

std::size_t write_all_direct(os::file& target, std::span<const std::byte> bytes, std::uint64_t offset,
                             cached_bytes& cached, std::error_code& error) {
  const auto parts = split_aligned(bytes, offset);
  error.clear();
  std::size_t written = 0;
  const auto write = [&](std::span<const std::byte> part) {
    if (!error && !part.empty()) written += write_all(target, part, offset + written, pwrite_direct_once, error);
  };
  if (!parts.head.empty()) cached.add(offset);
  write(parts.head);
  if (!error && !parts.middle.empty()) cached.write_back(target, offset + written, error);
  write(parts.middle);
  if (!parts.tail.empty()) cached.add(offset + parts.head.size() + parts.middle.size());
  write(parts.tail);
  return written;
}

std::size_t pread_once(os::file& source, std::span<std::byte> into, std::uint64_t offset, std::error_code& error) {
  const std::size_t got = source.read_at(into, offset, error);
  // Pipes and the like are no matter of a filter: they have no positions, which their readers have to know.
  if (!error || !is_refusal(error) || error == std::errc::invalid_seek) return got;
  return at_position(source, offset, error, [&] { return source.read(into, error); });
}

std::size_t read_once(os::file& source, std::span<std::byte> into, std::uint64_t, std::error_code& error) {
  return source.read(into, error);
}

namespace {

// The O_DIRECT flag belongs to both processes of a fork, so it may not be as recorded here: setting and clearing it
// makes the two agree. As long as the other process reads, it may set the flag again at any moment.
std::size_t read_without_direct(os::file& source, std::span<std::byte> into, std::uint64_t offset,
                                std::error_code& error) {
  constexpr int attempts = 100;
  std::size_t got = 0;
  for (int i = 0; i < attempts; ++i) {
    source.set_direct(true, error);
    if (!error) source.set_direct(false, error);
    if (error) return 0;
    got = pread_once(source, into, offset, error);
    if (error != std::errc::invalid_argument) break;
  }
  return got;
}

}  // namespace

std::size_t pread_cached_once(os::file& source, std::span<std::byte> into, std::uint64_t offset,
                              std::error_code& error) {
  source.set_direct(false, error);
  if (error) return 0;
  const std::size_t got = pread_once(source, into, offset, error);
  return error == std::errc::invalid_argument ? read_without_direct(source, into, offset, error) : got;
}

std::size_t pread_direct_once(os::file& source, std::span<std::byte> into, std::uint64_t offset,
                              std::error_code& error) {
  const auto parts = split_aligned(into, offset);
  const bool direct = parts.head.empty() && !parts.middle.empty();
  const auto part = into.first(direct ? parts.middle.size() : std::max(parts.head.size(), parts.tail.size()));
  source.set_direct(direct, error);
  if (error && (source.is_direct() || !is_refusal(error))) return 0;
  const std::size_t got = pread_once(source, part, offset, error);
  // Either the file system refuses to read this directly, or the flag is not as recorded here.
  return error == std::errc::invalid_argument ? read_without_direct(source, part, offset, error) : got;
}

std::size_t read_some(os::file& source, std::span<std::byte> into, std::uint64_t offset, read_function read_once,
                      std::error_code& error) {
  std::size_t got = 0;
  uninterrupted(error, [&] { got = read_once(source, into, offset, error); });
  return got;
}

// Only where it must be aligned does it read earlier bytes, too: those of a file below /sys may be others by now.
bool has_byte_at(os::file& source, std::uint64_t offset) noexcept {
  alignas(smallest_block) std::array<std::byte, smallest_block> page{};
  const auto before = static_cast<std::size_t>(source.is_direct() ? offset % smallest_block : 0);
  std::error_code error;
  const auto into = std::span{page}.first(source.is_direct() ? page.size() : 1);
  return read_some(source, into, offset - before, pread_once, error) > before && !error;
}

std::span<std::byte> place_of(std::uint64_t offset, std::span<std::byte> memory) noexcept {
  return memory.subspan(static_cast<std::size_t>(offset % memory.size()));
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

}  // namespace freshet::detail
