/// @file
/// freshet::writer: the leanest way to write a file from front to back.
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

/// Writes a file from front to back, as fast as the file system allows: by the method and with the blocks that
/// `freshet tune` found best there.
///
/// Functions that fail throw freshet::error; each has an overload that sets a std::error_code instead. The first error
/// sticks: every later call reports it again, nothing more is written, and the file holds exactly its first
/// written_bytes() bytes. Interrupted calls and short writes are finished, never reported; a full disk and I/O errors
/// always are, at the latest by close(). So check close(): the destructor writes what is left, too, but cannot say
/// whether that worked.
///
/// Different writers may be used by different threads at once; one writer by one thread at a time, and by another one
/// after being moved or handed over. Call flush() before fork(): the child may go on with a flushed writer; one with
/// blocks in flight fails there (errc::owner_dead).
class writer {
 public:
  /// A closed writer.
  writer() noexcept = default;

  /// Opens `path` for writing.
  /// @throws freshet::error  when the file can't be opened, or an option is invalid or not available here
  [[gnu::always_inline]] explicit writer(const path_argument& path, const writer_options& options = {})
      : writer{detail::open(path, options)} {}
  /// The same; `failure` is cleared on success, and set on failure, which leaves a closed writer.
  [[gnu::always_inline]] writer(const path_argument& path, const writer_options& options, std::error_code& failure) {
    detail::attempt(failure, [&] { *this = writer{path, options}; });
  }

  /// Writes to an open descriptor, at its own position: a pipe, a device, a file opened elsewhere. Always by the method
  /// "buffered". Of `options`, block and durability count.
  /// @throws freshet::error  when `descriptor` is not open for writing
  [[nodiscard, gnu::always_inline]] static writer on_descriptor(int descriptor, ownership whose = ownership::borrow,
                                                                const writer_options& options = {}) {
    return writer{detail::adopt(descriptor, whose == ownership::take, options)};
  }
  /// Writes to the process's standard output, whose descriptor stays open.
  [[nodiscard, gnu::always_inline]] static writer standard_output(const writer_options& options = {}) {
    return on_descriptor(1, ownership::borrow, options);
  }

  /// Moves the open file; `other` is closed afterwards.
  [[gnu::always_inline]] writer(writer&& other) noexcept
      : cursor_{std::exchange(other.cursor_, nullptr)},
        limit_{std::exchange(other.limit_, nullptr)},
        file_{std::exchange(other.file_, nullptr)} {}
  /// Writes what is left to this writer's file and closes it, ignoring errors, then moves.
  [[gnu::always_inline]] writer& operator=(writer&& other) noexcept {
    if (this == &other) return *this;
    abandon();
    cursor_ = std::exchange(other.cursor_, nullptr);
    limit_ = std::exchange(other.limit_, nullptr);
    file_ = std::exchange(other.file_, nullptr);
    return *this;
  }
  writer(const writer&) = delete;
  writer& operator=(const writer&) = delete;
  /// Writes what is left and closes, ignoring errors. A hidden file that was not close()d is given up.
  [[gnu::always_inline]] ~writer() { abandon(); }

  /// Whether there is a file to write to; true after an error, too, until close().
  [[nodiscard]] bool is_open() const noexcept { return detail::is_open(file_); }

  /// Appends one character.
  [[gnu::always_inline]] void put(char character) {
    if (cursor_ == limit_) [[unlikely]]
      renew(detail::make_room);
    *cursor_++ = static_cast<detail::octet>(character);
  }

  /// Appends `text`.
  [[gnu::always_inline]] void write(std::string_view text) {
    if (text.size() == 1) return put(text.front());
    write(std::as_bytes(std::span{text}));
  }
  /// Appends `bytes`.
  [[gnu::always_inline]] void write(std::span<const std::byte> bytes) {
    if (bytes.size() > static_cast<std::size_t>(limit_ - cursor_)) [[unlikely]]
      return renew(detail::write_across, bytes);
    // An empty span's null pointer is no argument for memcpy.
    if (!bytes.empty()) std::memcpy(cursor_, bytes.data(), bytes.size());
    cursor_ += bytes.size();
  }
  /// Appends `length` characters of `text` from `offset` on, or as many as there are.
  /// @throws std::out_of_range  when `offset` lies beyond the end of `text`
  void write(std::string_view text, std::size_t offset, std::size_t length) { write(text.substr(offset, length)); }

  /// Returns the room in memory for the next bytes, at least one. What is put at its front is appended by advance().
  /// Valid until the next call.
  [[gnu::always_inline]] std::span<std::byte> room() {
    if (cursor_ == limit_) [[unlikely]]
      renew(detail::make_room);
    return {reinterpret_cast<std::byte*>(cursor_), static_cast<std::size_t>(limit_ - cursor_)};
  }
  /// Appends the first `length` bytes of room(). Precondition: it has as many.
  void advance(std::size_t length) noexcept { cursor_ += length; }

  /// As put(char), with an error code.
  void put(char character, std::error_code& failure) noexcept {
    detail::attempt(failure, [&] { put(character); });
  }
  /// As write(std::string_view), with an error code.
  void write(std::string_view text, std::error_code& failure) noexcept {
    detail::attempt(failure, [&] { write(text); });
  }
  /// As write(std::span), with an error code.
  void write(std::span<const std::byte> bytes, std::error_code& failure) noexcept {
    detail::attempt(failure, [&] { write(bytes); });
  }

  /// Bytes from the file's start (from where it stood, of a borrowed descriptor) to where the next one goes. No system
  /// call.
  [[nodiscard]] std::uint64_t tell() const noexcept {
    return file_ != nullptr ? file_->front_offset + static_cast<std::uint64_t>(cursor_ - file_->front) : 0;
  }
  /// Bytes that the file has, or will have once all is written. No system call.
  [[nodiscard]] std::uint64_t size() const noexcept { return tell(); }

  /// Sets disk space aside for a file of `bytes` bytes without changing its size; less than is there already does
  /// nothing. Best effort: a file system that cannot do it is no error, a full one is.
  void reserve(std::uint64_t bytes) { detail::reserve(file_, bytes); }
  /// The same, with an error code.
  void reserve(std::uint64_t bytes, std::error_code& failure) noexcept {
    detail::attempt(failure, [&] { reserve(bytes); });
  }

  /// Returns when the kernel has everything: other processes see it, and it survives this one's end.
  [[gnu::always_inline]] void flush() { renew(detail::flush); }
  /// The same, with an error code.
  void flush(std::error_code& failure) noexcept {
    detail::attempt(failure, [&] { flush(); });
  }

  /// Returns when the device has everything: it survives a power cut. A failure is final (fsync(2) cannot be repeated).
  [[gnu::always_inline]] void sync() { renew(detail::sync); }
  /// The same, with an error code.
  void sync(std::error_code& failure) noexcept {
    detail::attempt(failure, [&] { sync(); });
  }

  /// Writes what is left, keeps the durability promised, gives back unused space and closes. On a closed writer:
  /// nothing. The file is closed whatever is thrown.
  [[gnu::always_inline]] void close() { renew(detail::close); }
  /// The same, with an error code.
  void close(std::error_code& failure) noexcept {
    detail::attempt(failure, [&] { close(); });
  }

  /// Bytes known to be in the file from its start without a gap, as other processes see it. After an error: all of it.
  [[nodiscard]] std::uint64_t written_bytes() const noexcept { return detail::written_bytes(file_); }
  /// Bytes known to be on the device from the file's start without a gap.
  [[nodiscard]] std::uint64_t durable_bytes() const noexcept { return detail::durable_bytes(file_); }

  /// The first error, which every call reports since; none while all went well.
  [[nodiscard]] std::error_code last_error() const noexcept { return detail::last_error(file_); }
  /// The name of the method at work ("buffered", "uring", …); after a fallback, the one fallen back to. Empty when
  /// closed.
  [[nodiscard]] std::string_view method() const noexcept { return detail::method_name(file_); }
  /// The file's descriptor, -1 when closed. What is written to it directly ends up where the kernel puts it, not in
  /// order.
  [[nodiscard]] int native_handle() const noexcept { return detail::native_handle(file_); }

 private:
  // All that a hot function may use is always inlined: a copy of it elsewhere would be given the writer's address, and
  // the cursor could no longer stay in a register (doc/decisions/0006-writer-in-registers.md).
  [[gnu::always_inline]] explicit writer(detail::opened from) noexcept
      : cursor_{from.room.cursor}, limit_{from.room.limit}, file_{from.file.release()} {}

  /// Has `operation` take what the window holds and give the next one. When it throws, there is none.
  template <typename Operation, typename... Arguments>
  [[gnu::always_inline]] void renew(Operation operation, Arguments... arguments) {
    detail::octet* const filled_to = std::exchange(cursor_, nullptr);
    limit_ = nullptr;
    const detail::window next = operation(file_, filled_to, arguments...);
    cursor_ = next.cursor;
    limit_ = next.limit;
  }

  [[gnu::always_inline]] void abandon() noexcept {
    if (file_ == nullptr) return;
    detail::abandon(file_, cursor_);
    detail::destroy(file_);
    file_ = nullptr;
  }

  detail::octet* cursor_ = nullptr;
  detail::octet* limit_ = nullptr;
  // Owned. The functions of a std::unique_ptr, where they are not inlined, would be given its address.
  detail::open_file* file_ = nullptr;
};

}  // namespace freshet
