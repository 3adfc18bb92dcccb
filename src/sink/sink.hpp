// What writers and stream buffers write to: a file, or a filter before another sink.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>

#include <freshet/detail/open_file.hpp>
#include <freshet/error.hpp>
#include <freshet/options.hpp>
#include <freshet/statistics.hpp>

namespace freshet::detail {

/// Takes the bytes that a writer or a stream buffer puts into its window, a block at a time. The caller fills window()
/// from its front, passes the number of bytes it `filled` to each call, and then asks for the window again.
/// After the first failure() the window is empty and nothing more is written.
///
/// Offsets and sizes count the bytes that the caller writes, which a filter may store as more or fewer; written() and
/// durable() count the bytes of the file.
class sink : public open_file {
 public:
  sink(const sink&) = delete;
  sink& operator=(const sink&) = delete;
  virtual ~sink() = default;

  /// Room for the next bytes; its first byte belongs at offset().
  [[nodiscard]] virtual std::span<std::byte> window() const noexcept = 0;
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }

  /// Makes room in a full window. Returns how many bytes stay at the front of the new window.
  [[nodiscard]] virtual std::size_t exchange(std::size_t filled) noexcept = 0;
  /// Appends `bytes` to the first `filled` bytes of the window. Returns how many bytes stay at the front of the new
  /// window.
  [[nodiscard]] std::size_t write(std::size_t filled, std::span<const std::byte> bytes) noexcept;

  /// The part of write() that copies nothing into the window: writes bytes from the front of `bytes`, and returns how
  /// many. Precondition: the window is empty.
  [[nodiscard]] virtual std::size_t write_large(std::span<const std::byte> bytes) noexcept = 0;

  /// Writes what the window holds and continues at `offset`. A sink without positions only writes.
  virtual void seek(std::size_t filled, std::uint64_t offset) noexcept = 0;
  /// Whether seek() can move to any position.
  [[nodiscard]] virtual bool can_seek() noexcept = 0;
  /// Whether offset() is a position that a program may be told, even if seek() cannot move to another one.
  [[nodiscard]] virtual bool has_position() const noexcept = 0;
  /// Why seek() moves nowhere in a file that has positions; empty where that is not so.
  [[nodiscard]] virtual std::string_view why_no_seek() const noexcept { return {}; }
  /// The current size in bytes. Precondition: flush() was called after the last byte.
  [[nodiscard]] virtual std::uint64_t size(std::error_code& failure) const noexcept = 0;

  virtual void flush(std::size_t filled) noexcept = 0;
  virtual void sync(std::size_t filled) noexcept = 0;
  /// Writes what is left and closes the file. A hidden file appears under its name.
  virtual void close(std::size_t filled) noexcept = 0;
  /// Closes a file that the program did not close: a hidden file is deleted.
  virtual void discard(std::size_t filled) noexcept = 0;
  /// Preallocates space for a file of `bytes` bytes; `failure` is not kept, because nothing is lost by it.
  virtual void reserve(std::uint64_t bytes, std::error_code& failure) noexcept = 0;

  /// Bytes from the file's start that are in the file without a gap, and those that are on the device.
  [[nodiscard]] virtual std::uint64_t written() const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t durable() const noexcept = 0;
  /// Whether discard() would delete the file.
  [[nodiscard]] virtual bool is_hidden() const noexcept = 0;
  [[nodiscard]] bool is_open() const noexcept { return open_; }
  /// The first error.
  [[nodiscard]] std::error_code failure() const noexcept { return failure_; }
  /// The first error as an exception.
  [[nodiscard]] virtual error failure_as_error() const = 0;

  [[nodiscard]] virtual std::string_view method_name() noexcept = 0;
  /// @throws std::bad_alloc
  [[nodiscard]] virtual file_statistics statistics() const = 0;
  [[nodiscard]] virtual std::filesystem::path path() const = 0;
  [[nodiscard]] virtual int descriptor() const noexcept = 0;
  /// The checksum of all bytes after close() succeeded, if one was asked for.
  [[nodiscard]] virtual freshet::checksum checksum() const noexcept { return {}; }

 protected:
  sink() = default;

  std::uint64_t offset_ = 0;  // of the window
  bool open_ = true;
  std::error_code failure_;  // the first one
};

}  // namespace freshet::detail
