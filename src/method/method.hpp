// A method is one way to move blocks into a file: the only thing that differs between "write" and "direct + io_uring".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <freshet/options.hpp>
#include <freshet/statistics.hpp>

#include "src/base/pool.hpp"
#include "src/method/change_log.hpp"
#include "src/method/exchange_timer.hpp"
#include "src/method/prior.hpp"
#include "src/os/file.hpp"

namespace freshet::detail {

struct method_entry;

/// The options of a method.
struct method_setup {
  unsigned depth = 1;       ///< blocks in memory, the one being filled included
  bool ordered = true;      ///< one write in flight, so that the file is always a prefix
  bool size_ahead = false;  ///< the file's size may be set before its bytes are there
  freshet::durability durability = freshet::durability::none;  ///< each_write: each block is on the device at once
  bool append = false;       ///< writes go to the descriptor's own position and ignore their offset
  bool strict = true;        ///< the user named the method: do not fall back silently when the file system refuses it
  bool drop = false;         ///< for `writebehind`: let the kernel drop pages, too (RWF_DONTCACHE), where it can
  std::uint64_t start = 0;   ///< offset of the first block in the file
  std::uint64_t origin = 0;  ///< offset of the first byte of the file that was written in this run, at most `start`
  bool block_is_chosen = false;  ///< by the user: `adaptive` uses no other size
  std::size_t piece = 0;         ///< most bytes that one call through the page cache writes; 0: any number
  std::uint64_t reserve = 0;     ///< expected size of the file in bytes; 0: unknown
  prior_setup prior = {};        ///< for `adaptive`
};

/// A block to be written: its bytes [begin, end) belong at `offset` in the file. Precondition: begin and offset are
/// equal modulo smallest_block, so that aligned pieces of the file lie in aligned memory, unless the method appends.
struct full_block {
  block memory;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint64_t offset = 0;
  exchange_timer* timer =
      nullptr;  ///< of the exchange, for who wants to know how long it takes; null: nobody reads one
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    return std::span<const std::byte>{memory.bytes()}.subspan(begin, end - begin);
  }
};

/// Writes blocks to one file. Blocks arrive in the order of their offsets, without gaps. After an error only drain()
/// may be called.
class method {
 public:
  method() = default;
  method(const method&) = delete;
  method& operator=(const method&) = delete;
  /// Precondition: drain() was called after the last exchange().
  virtual ~method() = default;

  /// Takes `full` and returns an empty block of at most the same size; may wait until an earlier block is in the file.
  [[nodiscard]] virtual block exchange(full_block full, std::error_code& error) noexcept = 0;

  /// Returns when nothing is in flight and the file is completed() bytes long; after an error, when nothing is in
  /// flight.
  virtual void drain(std::error_code& error) noexcept { error.clear(); }

  /// Writes `bytes` at `offset` directly from the caller's memory. Returns false, having done nothing, if this method
  /// needs its own blocks.
  [[nodiscard]] virtual bool write_unbuffered(std::span<const std::byte> bytes, std::uint64_t offset,
                                              std::error_code& error) noexcept {
    static_cast<void>(bytes), static_cast<void>(offset);
    error.clear();
    return false;
  }

  /// Writes `unwritten` and then `piece` at the descriptor's own position: a call never has a part of the bytes of one
  /// of them and of the other, unless the system leaves a call unfinished. Precondition: method_setup::append.
  virtual void append(std::span<const std::byte> unwritten, std::span<const std::byte> piece,
                      std::error_code& error) noexcept {
    static_cast<void>(unwritten), static_cast<void>(piece);
    error = std::make_error_code(std::errc::operation_not_supported);
  }

  /// Bytes from the file's start (or from method_setup::start) that are in the file without a gap.
  [[nodiscard]] virtual std::uint64_t completed() const noexcept = 0;

  /// Up to where it may have made the file longer, by a size that it set ahead of the bytes or by blocks out of order.
  [[nodiscard]] virtual std::uint64_t largest_end() const noexcept { return completed(); }

  /// The name of the method that it fell back to; empty if it did not.
  [[nodiscard]] virtual std::string_view fallen_back_to() const noexcept { return {}; }

  /// The method that it uses for now; null if that is always itself.
  [[nodiscard]] virtual const method_entry* at_work() const noexcept { return nullptr; }
  /// Its changes so far; null if it makes none.
  [[nodiscard]] virtual const change_log* changes() const noexcept { return nullptr; }
};

}  // namespace freshet::detail
