/// @file
/// freshet::writer, which writes a file from front to back with the least overhead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <freshet/detail/open_file.hpp>
#include <freshet/error.hpp>
#include <freshet/options.hpp>
#include <freshet/path_argument.hpp>

namespace freshet {

/// Writes a file from front to back with the method and the blocks that `freshet tune` found best for its file system.
///
/// Functions that fail throw freshet::error; each has an overload that sets a std::error_code instead. The first error
/// is final: every later call reports it again, nothing more is written, and the file holds exactly its first
/// written_bytes() bytes. Interrupted system calls and short writes are completed and never reported. A full disk and
/// I/O errors are always reported, by close() at the latest. Check close(): the destructor also writes what is left,
/// but cannot report errors.
///
/// Different threads may use different writers at the same time. Only one thread at a time may use a writer; it may be
/// handed to another thread. Call flush() before fork(): afterwards both processes write at the position that they
/// share, by the method "buffered", as with std::ofstream; with caching::bypass, only the parent may. Bytes that were
/// not flushed would be written by both, except by the destructor of a child that did not use the writer. A writer with
/// blocks in flight fails in the child (errc::owner_dead).
class writer {
 public:
  /// Makes a closed writer.
  writer() noexcept = default;

  /// Opens `path` for writing.
  /// @param path     the file; see writer_options::mode if it already exists
  /// @param options  how to write it
  /// @throws freshet::error  if the file cannot be opened, or an option is invalid or not available for this file
  [[gnu::always_inline]] explicit writer(const path_argument& path, const writer_options& options = {})
      : writer{detail::calls::open(path, options)} {}
  /// Opens `path` for writing. Clears `failure` on success; sets it on failure and leaves the writer closed.
  [[gnu::always_inline]] writer(const path_argument& path, const writer_options& options, std::error_code& failure) {
    detail::to_error_code(failure, [&] { *this = writer{path, options}; });
  }

  /// Returns a writer on an open descriptor, such as that of a pipe, a device or a file, that writes at the
  /// descriptor's own position. It always uses the method "buffered".
  /// @param descriptor  must be open for writing
  /// @param whose       whether the writer closes it. Default: ownership::borrow
  /// @param options     only block, durability, key and compression apply
  /// @throws freshet::error  if `descriptor` is not open for writing, or an option is invalid
  [[nodiscard, gnu::always_inline]] static writer on_descriptor(native_handle_type descriptor,
                                                                ownership whose = ownership::borrow,
                                                                const writer_options& options = {}) {
    return writer{detail::calls::adopt(descriptor, whose == ownership::take, options)};
  }
  /// Returns a writer on the process's standard output, which it does not close; see on_descriptor().
  [[nodiscard, gnu::always_inline]] static writer standard_output(const writer_options& options = {}) {
    return on_descriptor(detail::standard_handle(1), ownership::borrow, options);
  }

  /// Takes over the open file of `other`, which is closed afterwards.
  [[gnu::always_inline]] writer(writer&& other) noexcept
      : cursor_{std::exchange(other.cursor_, nullptr)},
        limit_{std::exchange(other.limit_, nullptr)},
        file_{std::exchange(other.file_, nullptr)} {}
  /// Writes what is left to this writer's file and closes it, ignoring errors, then takes over the file of `other`.
  [[gnu::always_inline]] writer& operator=(writer&& other) noexcept {
    if (this == &other) return *this;
    discard();
    cursor_ = std::exchange(other.cursor_, nullptr);
    limit_ = std::exchange(other.limit_, nullptr);
    file_ = std::exchange(other.file_, nullptr);
    return *this;
  }
  writer(const writer&) = delete;
  writer& operator=(const writer&) = delete;
  /// Writes what is left and closes the file, ignoring errors. Discards a hidden file that close() did not publish, and
  /// leaves a compressed or encrypted one without its end, so that it does not pass for complete.
  [[gnu::always_inline]] ~writer() { discard(); }

  /// Returns whether there is a file to write to. After an error that stays true until close().
  [[nodiscard]] bool is_open() const noexcept { return detail::is_open(file_); }

  /// Appends `character`.
  [[gnu::always_inline]] void put(char character) {
    if (cursor_ == limit_) [[unlikely]] {
      exchange_window(detail::calls::make_room);
      if (cursor_ == limit_) return;  // an error, without exceptions
    }
    *cursor_++ = static_cast<detail::octet>(character);
  }

  /// Appends `text`.
  [[gnu::always_inline]] void write(std::string_view text) {
    if (text.size() == 1) return put(text.front());
    write(std::as_bytes(std::span{text.data(), text.size()}));
  }
  /// Appends `bytes`.
  [[gnu::always_inline]] void write(std::span<const std::byte> bytes) {
    if (bytes.size() > static_cast<std::size_t>(limit_ - cursor_)) [[unlikely]]
      return exchange_window(detail::calls::write_across, bytes);
    // memcpy must not be called with an empty span's null pointer.
    if (!bytes.empty()) std::memcpy(cursor_, bytes.data(), bytes.size());
    cursor_ += bytes.size();
  }
  /// Appends at most `length` characters of `text`, beginning with the one at `offset`.
  /// @throws std::out_of_range  if `offset` is beyond the end of `text`
  [[gnu::always_inline]] void write(std::string_view text, std::size_t offset, std::size_t length) {
    write(text.substr(offset, length));
  }

  /// Returns memory for the next bytes, at least one. Fill it from its front, then call advance(). The memory is valid
  /// until the writer's next call.
  [[gnu::always_inline]] std::span<std::byte> room() {
    if (cursor_ == limit_) [[unlikely]]
      exchange_window(detail::calls::make_room);
    return {reinterpret_cast<std::byte*>(cursor_), static_cast<std::size_t>(limit_ - cursor_)};
  }
  /// Appends the first `length` bytes of room(). Precondition: room() has at least `length` bytes.
  void advance(std::size_t length) noexcept { cursor_ += length; }

  /// Appends `character`; sets `failure` instead of throwing.
  void put(char character, std::error_code& failure) noexcept {
    detail::to_error_code(failure, [&] { put(character); });
  }
  /// Appends `text`; sets `failure` instead of throwing.
  void write(std::string_view text, std::error_code& failure) noexcept {
    detail::to_error_code(failure, [&] { write(text); });
  }
  /// Appends `bytes`; sets `failure` instead of throwing.
  void write(std::span<const std::byte> bytes, std::error_code& failure) noexcept {
    detail::to_error_code(failure, [&] { write(bytes); });
  }

  /// Returns the offset of the next byte, in bytes from the file's start or, for a descriptor, from its first position.
  /// Makes no system call.
  [[nodiscard]] std::uint64_t tell() const noexcept {
    return file_ != nullptr ? file_->front_offset + static_cast<std::uint64_t>(cursor_ - file_->front) : 0;
  }
  /// Returns the file's size in bytes once everything is written. Makes no system call.
  [[nodiscard]] std::uint64_t size() const noexcept { return tell(); }

  /// A writer only writes from front to back: a call does not compile, and the message names what does.
  template <typename... Any>
  void seek(const Any&...) {
    static_assert(detail::never<Any...>,
                  "freshet::writer has no positions; use freshet::ofstream and seekp(); freshet::write(stream, number, "
                  "order) of <freshet/endian.hpp> writes numbers there");
  }

  /// Preallocates disk space for a file of `bytes` bytes without changing its size. Does nothing if the file is already
  /// as large, or if the file system cannot preallocate.
  /// @throws freshet::error  if there is not enough space
  [[gnu::always_inline]] void reserve(std::uint64_t bytes) { detail::calls::reserve(file_, bytes); }
  /// Preallocates disk space; sets `failure` instead of throwing.
  void reserve(std::uint64_t bytes, std::error_code& failure) noexcept {
    detail::to_error_code(failure, [&] { reserve(bytes); });
  }

  /// Hands everything to the kernel: when flush() returns, other processes see it, and it survives the end of this one.
  [[gnu::always_inline]] void flush() { exchange_window(detail::calls::flush); }
  /// Hands everything to the kernel; sets `failure` instead of throwing.
  void flush(std::error_code& failure) noexcept {
    detail::to_error_code(failure, [&] { flush(); });
  }

  /// Hands everything to the device: when sync() returns, it survives a power cut. An error is final, because fsync(2)
  /// cannot be repeated.
  [[gnu::always_inline]] void sync() { exchange_window(detail::calls::sync); }
  /// Hands everything to the device; sets `failure` instead of throwing.
  void sync(std::error_code& failure) noexcept {
    detail::to_error_code(failure, [&] { sync(); });
  }

  /// Writes what is left, makes it durable as writer_options::durability says, frees unused preallocated space and
  /// closes the file, even if it throws. Does nothing if the writer is closed.
  [[gnu::always_inline]] void close() { exchange_window(detail::calls::close); }
  /// Closes the file; sets `failure` instead of throwing.
  void close(std::error_code& failure) noexcept {
    detail::to_error_code(failure, [&] { close(); });
  }

  /// Gives up a file that is hidden until it is closed: it never appears, and an existing file of its name stays as it
  /// is. Writes what is left to any other file and closes it, ignoring errors. Does nothing if the writer is closed.
  [[gnu::always_inline]] void discard() noexcept {
    if (file_ == nullptr) return;
    detail::discard(file_, cursor_);
    detail::destroy(file_);
    cursor_ = limit_ = nullptr;
    file_ = nullptr;
  }

  /// Returns how many bytes from the file's start other processes are known to see without a gap. After an error the
  /// file holds exactly these.
  [[nodiscard]] std::uint64_t written_bytes() const noexcept { return detail::written_bytes(file_); }
  /// Returns how many bytes from the file's start are known to be on the device without a gap.
  [[nodiscard]] std::uint64_t durable_bytes() const noexcept { return detail::durable_bytes(file_); }

  /// Returns the checksum of all bytes that were written, once close() succeeded; before, and where
  /// writer_options::checksum asks for none, checksum_algorithm::none.
  [[nodiscard]] freshet::checksum checksum() const noexcept { return detail::checksum_of(file_); }

  /// Returns the first error, which every call since then has reported, or an empty code if there was none.
  [[nodiscard]] std::error_code last_error() const noexcept { return detail::last_error(file_); }
  /// Returns the name of the method in use, such as "buffered" or "uring"; after a fallback, the method it fell back
  /// to. Empty if the writer is closed.
  [[nodiscard]] std::string_view method() const noexcept { return detail::method_name(file_); }
  /// Returns the file's history, also after close(): bytes and waits by method, and its changes with their reasons.
  /// Needs <freshet/statistics.hpp>. With FRESHET_LOG=1 in the environment, close() prints it on standard error.
  template <typename Statistics = file_statistics>
  [[nodiscard, gnu::always_inline]] Statistics statistics() const {
    Statistics result;
    detail::calls::collect_statistics(file_, result);
    return result;
  }
  /// Returns the file's descriptor (HANDLE), or no_native_handle if the writer is closed. From then on the file is
  /// written, by the method "buffered", at the descriptor's own position, and so in order with what others write there:
  /// flush() first. A file with caching::bypass keeps a position of its own. tell() and size() count the writer's own
  /// bytes only.
  [[nodiscard]] native_handle_type native_handle() const noexcept { return detail::native_handle(file_); }

 private:
  friend struct detail::writer_file;

  // Everything that a hot function uses is always inlined. A call would pass the writer's address, and the cursor could
  // no longer stay in a register (doc/decisions/0006-writer-in-registers.md).
  [[gnu::always_inline]] explicit writer(detail::opened from) noexcept
      : cursor_{from.room.cursor}, limit_{from.room.limit}, file_{from.file.release()} {}

  /// Lets `operation` take the window's content and return the next window. If it throws, there is no window.
  template <typename Operation, typename... Arguments>
  [[gnu::always_inline]] void exchange_window(Operation operation, Arguments... arguments) {
    detail::octet* const filled_to = std::exchange(cursor_, nullptr);
    limit_ = nullptr;
    const detail::window next = operation(file_, filled_to, arguments...);
    cursor_ = next.cursor;
    limit_ = next.limit;
  }

  detail::octet* cursor_ = nullptr;
  detail::octet* limit_ = nullptr;
  // Owned. A smart pointer's functions would take its address wherever they are not inlined.
  detail::open_file* file_ = nullptr;
};

}  // namespace freshet
