// What readers and stream buffers read from: a file, or a filter behind another source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <freshet/detail/open_source.hpp>
#include <freshet/error.hpp>
#include <freshet/statistics.hpp>

#include "src/source/source_window.hpp"

namespace freshet::detail {

/// Provides the bytes that a reader or a stream buffer takes from its window, a block at a time. After the first
/// failure() the window stays empty. Offsets and sizes count the bytes that the caller reads, which a filter may take
/// from more or fewer.
class source : public open_source {
 public:
  source(const source&) = delete;
  source& operator=(const source&) = delete;
  virtual ~source() = default;

  /// Bytes in memory; the first one is at offset().
  [[nodiscard]] std::span<const std::byte> window() const noexcept { return window_.unread(); }
  [[nodiscard]] std::uint64_t offset() const noexcept { return window_.offset(); }
  /// The caller has used the first `used` bytes of the window: moves its front past them.
  void take(std::size_t used) noexcept { window_.take(used); }

  /// Replaces the window by the bytes after it. Returns whether there are any, at least one then; at the end of the
  /// file and on failure the window is empty and stands where reading ended.
  bool next_window() noexcept;
  /// Drops the window and fills `into` with the bytes after it, directly if they are many. Returns how many bytes it
  /// read, fewer only at the end of the file and on failure.
  [[nodiscard]] std::size_t read(std::span<std::byte> into) noexcept;
  /// Returns the `length` bytes from position `begin` of the window on, fewer only at the end of the file and on
  /// failure; copied together if they cross windows. Afterwards the window begins after them. Valid until the next
  /// call.
  [[nodiscard]] std::span<const std::byte> join(std::size_t begin, std::size_t length) noexcept;
  /// Like join(), up to and including the next byte that equals `last`, but at most `most` bytes.
  [[nodiscard]] std::span<const std::byte> join_through(std::size_t begin, std::byte last, std::size_t most) noexcept;

  /// Moves to `offset`. The window is kept if `offset` lies in it, and dropped otherwise.
  virtual void seek(std::uint64_t offset) noexcept = 0;
  /// Moves to `offset` and forgets the window and what was read ahead: the next bytes are those that the file then has.
  /// Like seek() where bytes cannot be read again (pipes), and where a filter has verified or unpacked them: a file
  /// that changed underneath would be refused.
  virtual void refresh(std::uint64_t offset) noexcept { seek(offset); }
  /// Whether to read, once others may use the descriptor, at its own position: after forks, and after share_position().
  virtual void follow_descriptor() noexcept {}
  /// From now on the file is read at its descriptor's own position, which is now after the window. Does nothing unless
  /// follow_descriptor() was called, and for files that have no position.
  virtual void share_position() noexcept {}
  /// Leaves the descriptor's own position to the sink that shares it, until the next bytes are read.
  virtual void yield_position() noexcept {}
  /// How many bytes after the window a file without a size, such as a pipe, has at this moment; 0 if that is not known.
  [[nodiscard]] virtual std::uint64_t ready() noexcept { return 0; }
  /// Whether the file has positions; pipes, sockets and terminals do not.
  [[nodiscard]] virtual bool can_seek() noexcept = 0;
  /// Whether no position can be beyond the size that the file has, as in a block device.
  [[nodiscard]] virtual bool has_fixed_size() noexcept { return false; }
  /// Whether the system counts a position of the file, as for most devices, even if it means nothing.
  [[nodiscard]] virtual bool has_position() const noexcept = 0;

  /// Treats a file that was truncated while it was read as one that ends there, as the standard streams do; without
  /// this it is an error.
  virtual void allow_truncation() noexcept = 0;

  /// Ends reading `used` bytes into the window, and moves a borrowed file's own position there.
  virtual void close(std::size_t used = 0) noexcept = 0;

  /// The current size in bytes; 0 where there is none. From now on a shorter file is an error. `failure` is not kept.
  [[nodiscard]] virtual std::uint64_t size(std::error_code& failure) noexcept = 0;
  /// The `failure` of the last size() as an exception.
  [[nodiscard]] virtual error size_failure_as_error(std::error_code failure) const {
    return {failure, "get the size of", path_};
  }

  [[nodiscard]] bool is_open() const noexcept { return open_; }
  /// The first error.
  [[nodiscard]] std::error_code failure() const noexcept { return failure_; }
  /// The first error as an exception.
  [[nodiscard]] virtual error failure_as_error() const {
    return {failure_, failed_operation_, path_, window_.offset(), detail_};
  }

  [[nodiscard]] virtual std::string_view method_name() const noexcept = 0;
  /// @throws std::bad_alloc
  [[nodiscard]] virtual file_statistics statistics() const = 0;
  [[nodiscard]] std::filesystem::path path() const { return path_; }
  [[nodiscard]] virtual native_handle_type descriptor() const noexcept = 0;

 protected:
  explicit source(native_string path) : path_{std::move(path)} {}

  /// Records the first error. `operation` and `detail` must be literals.
  void fail(std::string_view operation, std::error_code why, std::string_view detail = {}) noexcept;
  [[nodiscard]] std::size_t copy(std::span<std::byte> into) noexcept;

  native_string path_;
  bool open_ = true;
  source_window window_;
  std::error_code failure_;  // the first one

 private:
  /// Shows the bytes after the window, which is empty before. Returns whether there are any, and leaves it empty
  /// otherwise.
  virtual bool fetch() noexcept = 0;
  /// Reads some bytes for read(); returns how many, 0 at the end of the file and on failure. The window is empty before
  /// and may hold the following bytes afterwards.
  [[nodiscard]] virtual std::size_t read_piece(std::span<std::byte> into) noexcept { return copy(into); }

  std::vector<std::byte> joined_;  // the result of join()
  std::string_view failed_operation_;
  std::string_view detail_;
};

}  // namespace freshet::detail
