// What writers and stream buffers write to: a file, or a filter before another sink.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>

#include <freshet/detail/open_file.hpp>
#include <freshet/error.hpp>
#include <freshet/options.hpp>
#include <freshet/statistics.hpp>

#include "src/sink/sink_window.hpp"

namespace freshet::detail {

/// Takes the bytes that a writer or a stream buffer puts into its window, a block at a time. The caller puts bytes into
/// the window's room, says with fill_to() or advance() how far, calls what it needs, and then asks for the window
/// again. After the first failure() the window is empty, its position stays, and nothing more is written.
///
/// Offsets and sizes count the bytes that the caller writes, which a filter may store as more or fewer; written() and
/// durable() count the bytes of the file.
class sink : public open_file {
 public:
  sink(const sink&) = delete;
  sink& operator=(const sink&) = delete;
  virtual ~sink() = default;

  [[nodiscard]] const sink_window& window() const noexcept { return window_; }
  /// The bytes of the window up to `cursor` were put in; null: no more than before.
  void fill_to(const std::byte* cursor) noexcept { window_.fill_to(cursor); }
  /// The first `length` bytes of the window's room were put in.
  void advance(std::size_t length) noexcept { window_.advance(length); }

  /// Sees to it that the window has room for `least` bytes: at least one, at most largest_least. Without failure() it
  /// then has; returns false after a failure, and if the sink is closed.
  bool next_window(std::size_t least = 1) noexcept;
  static constexpr std::size_t largest_least = 2048;

  /// Puts `bytes` into the window, and writes those that it has no room for.
  void write(std::span<const std::byte> bytes) noexcept;
  /// Writes what the window holds and all of `bytes`, none of which a call may divide; false, with nothing written, if
  /// they may be divided, or the window has room for them. Files at their descriptor's own position keep the pieces
  /// that their program writes whole: others may write there, too.
  [[nodiscard]] virtual bool write_whole(std::span<const std::byte> bytes) noexcept {
    static_cast<void>(bytes);
    return false;
  }
  /// The part of write() that copies nothing into the window: writes bytes from the front of `bytes`, and returns how
  /// many. Precondition: nothing in the window is unwritten.
  [[nodiscard]] virtual std::size_t write_large(std::span<const std::byte> bytes) noexcept = 0;

  /// Writes what the window holds and continues at `offset`; after expect(), where others have moved a shared position.
  /// A sink without positions only writes.
  virtual void seek(std::uint64_t offset) noexcept = 0;
  /// Whether seek() can move to any position.
  [[nodiscard]] virtual bool can_seek() noexcept = 0;
  /// Whether no position can be beyond the size that the file has, as in a block device.
  [[nodiscard]] virtual bool has_fixed_size() noexcept { return false; }
  /// Whether the window's position is one that a program may be told, even if seek() cannot move to another one.
  [[nodiscard]] virtual bool has_position() const noexcept = 0;
  /// Why seek() moves nowhere in a file that has positions; empty where that is not so.
  [[nodiscard]] virtual std::string_view why_no_seek() const noexcept { return {}; }
  /// The current size in bytes. Precondition: flush() was called after the last byte.
  [[nodiscard]] virtual std::uint64_t size(std::error_code& failure) const noexcept = 0;

  /// Flushes by itself whenever `bytes` bytes were put in since the last flush. Precondition: more than largest_least.
  void flush_every(std::size_t bytes) noexcept {
    flushes_when_full_ = true;
    window_.bound(bytes);
  }

  /// From now on the file is written at its descriptor's own position, as others write there, too: the other process of
  /// a fork, or whoever uses the descriptor. Does nothing for files that have no position.
  virtual void share_position() noexcept = 0;
  /// Whether this is the child of a fork that has not used the sink yet: what is unwritten is then its parent's.
  [[nodiscard]] virtual bool is_inherited() const noexcept = 0;
  /// The caller will go on at `offset`, by seek(): there a fork, and whoever uses the descriptor, finds the file. Until
  /// then the file of a descriptor that others use may be moved by them, and seek() goes on where they left it.
  /// Precondition: nothing in the window is unwritten.
  virtual void expect(std::uint64_t offset) noexcept { static_cast<void>(offset); }
  /// The same where the file is now.
  virtual void expect_here() noexcept {}
  /// Where seek() will then go on; empty without expect(), where it goes on as it is told.
  [[nodiscard]] virtual std::optional<std::uint64_t> expected() noexcept { return {}; }
  /// Takes the unwritten bytes out of the window.
  void drop_unwritten() noexcept { window_.show(window_.memory()); }
  /// Leaves the descriptor's own position to the source that shares it, until the next bytes are written.
  virtual void yield_position() noexcept = 0;
  /// Whether others may move the position, so that only sync_position() knows it.
  [[nodiscard]] virtual bool is_position_shared() noexcept = 0;
  /// Asks the system for a position that others may have moved.
  virtual void sync_position() noexcept = 0;

  virtual void flush() noexcept = 0;
  virtual void sync() noexcept = 0;
  /// Writes what is left and closes the file. A hidden file appears under its name.
  virtual void close() noexcept = 0;
  /// Closes a file that the program did not close. A hidden file is deleted; others get what is left, but a compressed
  /// or encrypted one does not get its end.
  virtual void discard() noexcept = 0;
  /// Preallocates space for a file of `bytes` bytes; `failure` is not kept, because nothing is lost by it.
  virtual void reserve(std::uint64_t bytes, std::error_code& failure) noexcept = 0;

  /// Bytes from the file's start that are in the file without a gap, and those that are on the device.
  [[nodiscard]] virtual std::uint64_t written() const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t durable() const noexcept = 0;
  /// Whether discard() would delete the file.
  [[nodiscard]] virtual bool is_hidden() const noexcept = 0;
  [[nodiscard]] bool is_open() const noexcept { return open_; }
  /// The first error.
  [[nodiscard]] std::error_code failure() const noexcept { return failure_.code; }
  /// The first error as an exception.
  [[nodiscard]] error failure_as_error() const;

  [[nodiscard]] virtual std::string_view method_name() noexcept = 0;
  /// @throws std::bad_alloc
  [[nodiscard]] virtual file_statistics statistics() const = 0;
  [[nodiscard]] virtual std::filesystem::path path() const = 0;
  [[nodiscard]] virtual native_handle_type descriptor() const noexcept = 0;
  /// The checksum of all bytes after close() succeeded, if one was asked for.
  [[nodiscard]] virtual freshet::checksum checksum() const noexcept { return {}; }

 protected:
  sink() = default;

  /// Records the first error and drops the window. `operation` and `detail` must live as long as the program.
  /// @param at  where it happened, in bytes of what the caller writes
  void record_failure(std::string_view operation, std::error_code why, std::string_view detail,
                      std::uint64_t at) noexcept;
  /// Records the failure of a sink that this one writes to, if it has one; `at` as above. Default: as the other has it.
  void take_failure_of(const sink& inner, std::uint64_t at) noexcept;
  void take_failure_of(const sink& inner) noexcept { take_failure_of(inner, inner.failure_.offset); }

  sink_window window_;
  bool open_ = true;

 private:
  bool flushes_when_full_ = false;

  /// Makes room for `least` bytes in the window; its unwritten bytes are written, or stay at the front of the window.
  virtual void make_room(std::size_t least) noexcept = 0;
  /// Records the first error, and does what else a failed sink must do.
  virtual void fail(std::string_view operation, std::error_code why, std::string_view detail = {}) noexcept = 0;

  struct {
    std::error_code code;
    std::string_view operation;
    std::string_view detail;
    std::uint64_t offset = 0;
  } failure_;
};

}  // namespace freshet::detail
