/// @file
/// freshet::reader, which reads a file with the least overhead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <freshet/detail/open_source.hpp>
#include <freshet/error.hpp>
#include <freshet/options.hpp>
#include <freshet/path_argument.hpp>

namespace freshet {

/// Reads a file with the method and the blocks that `freshet tune` found best for its file system.
///
/// Functions that fail throw freshet::error; each has an overload that sets a std::error_code instead. The first error
/// is final: every later call reports it again, with the offset that could not be read; only after
/// errc::resource_unavailable_try_again, from a pipe or a device that does not wait (O_NONBLOCK), the next call tries
/// again. Interrupted system calls and short reads are completed and never reported. It is an error if the file becomes
/// shorter than what was read, or than the size it had when reading went beyond its first block or size() was called;
/// if it grows, the new data is read, too. For a directory, the first call that reads reports the error.
///
/// Different threads may use different readers at the same time. Only one thread at a time may use a reader; it may be
/// handed to another thread. After fork(), both processes may continue with their copies of a reader on a file: each
/// has a position of its own.
class reader {
 public:
  /// The result of get() and peek() at the end of the file.
  static constexpr int end_of_file = -1;

  /// Makes a closed reader.
  reader() noexcept = default;

  /// Opens `path` for reading.
  /// @param path     the file, which must exist
  /// @param options  how to read it
  /// @throws freshet::error  if the file cannot be opened, or an option is invalid or not available for this file
  [[gnu::always_inline]] explicit reader(const path_argument& path, const reader_options& options = {})
      : reader{detail::calls::open_to_read(path, options)} {}
  /// Opens `path` for reading. Clears `failure` on success; sets it on failure and leaves the reader closed.
  [[gnu::always_inline]] reader(const path_argument& path, const reader_options& options, std::error_code& failure) {
    detail::to_error_code(failure, [&] { *this = reader{path, options}; });
  }

  /// Returns a reader on an open descriptor, such as that of a pipe, a device or a file, that begins at the
  /// descriptor's own position. It always uses the method "buffered". It may take more from a pipe or a device than it
  /// hands out. When it is closed, it moves a borrowed file's position to where reading ended.
  /// @param descriptor  must be open for reading
  /// @param whose       whether the reader closes it. Default: ownership::borrow
  /// @param options     only block, key and decompression apply
  /// @throws freshet::error  if `descriptor` is not open for reading, or an option is invalid
  [[nodiscard, gnu::always_inline]] static reader on_descriptor(native_handle_type descriptor,
                                                                ownership whose = ownership::borrow,
                                                                const reader_options& options = {}) {
    return reader{detail::calls::adopt_to_read(descriptor, whose == ownership::take, options)};
  }
  /// Returns a reader on the process's standard input, which it does not close; see on_descriptor().
  [[nodiscard, gnu::always_inline]] static reader standard_input(const reader_options& options = {}) {
    return on_descriptor(detail::standard_handle(0), ownership::borrow, options);
  }

  /// Takes over the open file of `other`, which is closed afterwards.
  [[gnu::always_inline]] reader(reader&& other) noexcept
      : cursor_{std::exchange(other.cursor_, nullptr)},
        limit_{std::exchange(other.limit_, nullptr)},
        source_{std::exchange(other.source_, nullptr)} {}
  /// Closes this reader's file, ignoring errors, then takes over the file of `other`.
  [[gnu::always_inline]] reader& operator=(reader&& other) noexcept {
    if (this == &other) return *this;
    discard();
    cursor_ = std::exchange(other.cursor_, nullptr);
    limit_ = std::exchange(other.limit_, nullptr);
    source_ = std::exchange(other.source_, nullptr);
    return *this;
  }
  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;
  /// Closes the file, ignoring errors.
  [[gnu::always_inline]] ~reader() { discard(); }

  /// Returns whether there is a file to read from. After an error that stays true until close().
  [[nodiscard]] bool is_open() const noexcept { return detail::is_open(source_); }

  /// Takes and returns the next byte, from 0 to 255, or returns end_of_file.
  [[gnu::always_inline]] int get() {
    if (cursor_ == limit_) [[unlikely]]
      if (!refill()) return end_of_file;
    return static_cast<int>(*cursor_++);
  }
  /// Returns the next byte, from 0 to 255, without taking it, or end_of_file.
  [[gnu::always_inline]] int peek() {
    if (cursor_ == limit_) [[unlikely]]
      if (!refill()) return end_of_file;
    return static_cast<int>(*cursor_);
  }

  /// Fills `into`. Returns the number of bytes read, which is less than the size of `into` only at the end of the file.
  [[gnu::always_inline]] std::size_t read(std::span<std::byte> into) {
    if (into.size() > left()) [[unlikely]]
      return exchange_window(detail::calls::read_across, into).length;
    // memcpy must not be called with an empty span's null pointer.
    if (!into.empty()) std::memcpy(into.data(), cursor_, into.size());
    cursor_ += into.size();
    return into.size();
  }
  /// Fills `into`. Returns the number of characters read, which is less than its size only at the end of the file.
  [[gnu::always_inline]] std::size_t read(std::span<char> into) { return read(std::as_writable_bytes(into)); }

  /// Takes and returns the next `length` bytes, or fewer at the end of the file. Copies them only if they cross from
  /// one block to the next. They are valid until the reader's next call. Even if `length` is too large, the reader uses
  /// at most twice the memory of the bytes that exist.
  [[gnu::always_inline]] std::span<const std::byte> view(std::size_t length) {
    if (length > left()) [[unlikely]]
      return exchange_window(detail::calls::view_across, length).bytes;
    const octet* const from = std::exchange(cursor_, cursor_ + length);
    return {reinterpret_cast<const std::byte*>(from), length};
  }
  /// Takes and returns the bytes up to and including the next one equal to `last`, or up to the end of the file, but at
  /// most `most` bytes. Otherwise like view().
  [[gnu::always_inline]] std::span<const std::byte> view_through(std::byte last, std::size_t most) {
    if (cursor_ == limit_) [[unlikely]]
      if (!refill()) return {};
    const auto* const end = static_cast<const octet*>(std::memchr(cursor_, std::to_integer<int>(last), left()));
    if (end == nullptr || static_cast<std::size_t>(end - cursor_) >= most) [[unlikely]]
      return exchange_window(detail::calls::view_through_across, last, most).bytes;
    const octet* const from = std::exchange(cursor_, end + 1);
    return {reinterpret_cast<const std::byte*>(from), static_cast<std::size_t>(cursor_ - from)};
  }
  /// Returns the next bytes that are in memory without taking them: none at the end of the file, otherwise at least
  /// one. They are valid until the reader's next call, except available(), peek(), and skip() over some of them.
  [[gnu::always_inline]] std::span<const std::byte> available() {
    if (cursor_ == limit_) [[unlikely]]
      refill();
    return {reinterpret_cast<const std::byte*>(cursor_), left()};
  }

  /// Takes the first `length` bytes of available(), which stay valid until the next call. Precondition: available() has
  /// at least `length` bytes.
  void advance(std::size_t length) noexcept { cursor_ += length; }

  /// Moves forward by `length` bytes. The new position may be beyond a file's end, where there is nothing to read. In
  /// pipes and devices the bytes are read and discarded.
  [[gnu::always_inline]] void skip(std::uint64_t length) {
    if (length > left()) [[unlikely]]
      exchange_window(detail::calls::skip, length);
    else
      cursor_ += length;
  }
  /// Moves to `offset`, in bytes from the file's start. It may be beyond the file's end, where there is nothing to
  /// read. Keeps the bytes that are in memory, even if the file has changed since they were read: see refresh().
  /// @throws freshet::error  for pipes, sockets and character devices (errc::invalid_seek), unless `offset` is in
  /// memory
  [[gnu::always_inline]] void seek(std::uint64_t offset) { exchange_window(detail::calls::seek_source, offset); }

  /// Forgets the bytes in memory, so that the next ones are those that the file then has, at the same position. Bytes
  /// that cannot be read again (of pipes and devices), and those of a compressed or encrypted file, or of one with an
  /// expected checksum, are kept.
  /// @throws freshet::error  if there was an error before
  [[gnu::always_inline]] void refresh() { exchange_window(detail::calls::refresh_source); }

  /// Like get(), but sets `failure` instead of throwing and then returns end_of_file.
  int get(std::error_code& failure) noexcept {
    int next = end_of_file;
    detail::to_error_code(failure, [&] { next = get(); });
    return next;
  }
  /// Like peek(), but sets `failure` instead of throwing and then returns end_of_file.
  int peek(std::error_code& failure) noexcept {
    int next = end_of_file;
    detail::to_error_code(failure, [&] { next = peek(); });
    return next;
  }
  /// Like read(std::span<std::byte>), but sets `failure` instead of throwing and then returns 0.
  std::size_t read(std::span<std::byte> into, std::error_code& failure) noexcept {
    return detail::to_error_code(failure, [&] { return read(into); });
  }
  /// Like read(std::span<char>), but sets `failure` instead of throwing and then returns 0.
  std::size_t read(std::span<char> into, std::error_code& failure) noexcept {
    return detail::to_error_code(failure, [&] { return read(into); });
  }
  /// Like view(), but sets `failure` instead of throwing and then returns no bytes.
  std::span<const std::byte> view(std::size_t length, std::error_code& failure) noexcept {
    return detail::to_error_code(failure, [&] { return view(length); });
  }
  /// Like view_through(), but sets `failure` instead of throwing and then returns no bytes.
  std::span<const std::byte> view_through(std::byte last, std::size_t most, std::error_code& failure) noexcept {
    return detail::to_error_code(failure, [&] { return view_through(last, most); });
  }
  /// Like available(), but sets `failure` instead of throwing and then returns no bytes.
  std::span<const std::byte> available(std::error_code& failure) noexcept {
    return detail::to_error_code(failure, [&] { return available(); });
  }
  /// Like skip(), but sets `failure` instead of throwing.
  void skip(std::uint64_t length, std::error_code& failure) noexcept {
    detail::to_error_code(failure, [&] { skip(length); });
  }
  /// Like seek(), but sets `failure` instead of throwing.
  void seek(std::uint64_t offset, std::error_code& failure) noexcept {
    detail::to_error_code(failure, [&] { seek(offset); });
  }
  /// Like refresh(), but sets `failure` instead of throwing.
  void refresh(std::error_code& failure) noexcept {
    detail::to_error_code(failure, [&] { refresh(); });
  }

  /// Returns the offset of the next byte, in bytes from the file's start or, for a pipe or device, from where reading
  /// began. After an error: where it happened. Makes no system call.
  [[nodiscard]] std::uint64_t tell() const noexcept {
    return source_ != nullptr ? source_->front_offset + static_cast<std::uint64_t>(cursor_ - source_->front) : 0;
  }
  /// Asks the system for the file's size in bytes; 0 for pipes, character devices and files in /proc, which have
  /// none. From then on it is an error if the file ends earlier.
  [[nodiscard, gnu::always_inline]] std::uint64_t size() const { return detail::calls::size(source_); }
  /// Like size(), but sets `failure` instead of throwing and then returns 0.
  [[nodiscard]] std::uint64_t size(std::error_code& failure) const noexcept {
    return detail::to_error_code(failure, [&] { return size(); });
  }

  /// Throws the error that a parser reports when the file is malformed. The reader itself stays usable.
  /// @param why     the reason, such as errc::bad_message
  /// @param offset  where the file is malformed, in bytes from its start
  /// @param detail  an explanation for the message
  /// @throws freshet::error  always, with the file's path
  [[noreturn, gnu::cold, gnu::always_inline]] void reject(std::errc why, std::uint64_t offset,
                                                          std::string_view detail) const {
    detail::calls::reject(source_, why, offset, detail);
  }

  /// Closes the file, even if it throws. Does nothing if the reader is closed.
  [[gnu::always_inline]] void close() { exchange_window(detail::calls::close_source); }
  /// Closes the file; sets `failure` instead of throwing.
  void close(std::error_code& failure) noexcept {
    detail::to_error_code(failure, [&] { close(); });
  }

  /// Returns the first error, which every call since then has reported, or an empty code if there was none.
  [[nodiscard]] std::error_code last_error() const noexcept { return detail::last_error(source_); }
  /// Returns the name of the method that read last, such as "buffered" or "uring"; after a fallback, the method it fell
  /// back to. It is chosen once reading goes beyond the first block, and may change while a file of 16 MiB or more is
  /// read. Empty if the reader is closed.
  [[nodiscard]] std::string_view method() const noexcept { return detail::method_name(source_); }
  /// Returns what happened so far, also after close(): bytes and waits by method, and its changes with their reasons.
  /// Needs <freshet/statistics.hpp>. With FRESHET_LOG=1 in the environment, close() prints it on standard error.
  template <typename Statistics = file_statistics>
  [[nodiscard, gnu::always_inline]] Statistics statistics() const {
    Statistics result;
    detail::calls::collect_statistics(source_, result);
    return result;
  }
  /// Returns the file's descriptor (HANDLE), or no_native_handle if the reader is closed.
  [[nodiscard]] native_handle_type native_handle() const noexcept { return detail::native_handle(source_); }

 private:
  friend struct detail::malformed_content;

  // Everything that a hot function uses is always inlined. A call would pass the reader's address, and the cursor could
  // no longer stay in a register (doc/decisions/0006-writer-in-registers.md).
  using octet = detail::octet;

  [[gnu::always_inline]] explicit reader(detail::owned_source source) noexcept : source_{source.release()} {
    if (source_ != nullptr) cursor_ = limit_ = source_->front;
  }

  [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(limit_ - cursor_); }

  /// Lets `operation` return the next window. If it throws, there is no window.
  template <typename Result, typename... Parameters, typename... Arguments>
  [[gnu::always_inline]] Result exchange_window(Result (*operation)(detail::open_source*, const octet*, Parameters...),
                                                Arguments... arguments) {
    const octet* const read_to = std::exchange(cursor_, nullptr);
    limit_ = nullptr;
    const Result result = operation(source_, read_to, arguments...);
    enter(result);
    return result;
  }
  /// Returns false at the end of the file.
  [[gnu::always_inline]] bool refill() {
    exchange_window(detail::calls::refill);
    return cursor_ != limit_;
  }
  void enter(const detail::read_window& next) noexcept {
    cursor_ = next.cursor;
    limit_ = next.limit;
  }

  [[gnu::always_inline]] void discard() noexcept {
    if (source_ == nullptr) return;
    detail::discard(source_, cursor_);
    detail::destroy(source_);
    source_ = nullptr;
  }

  const octet* cursor_ = nullptr;
  const octet* limit_ = nullptr;
  // Owned. A smart pointer's functions would take its address wherever they are not inlined.
  detail::open_source* source_ = nullptr;
};

}  // namespace freshet
