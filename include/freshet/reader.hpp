/// @file
/// freshet::reader: the leanest way to read a file.
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

/// Reads a file, as fast as the file system allows: by the method and with the blocks that `freshet tune` found best
/// there.
///
/// Functions that fail throw freshet::error; each has an overload that sets a std::error_code instead. The first error
/// sticks: every later call reports it again, with the offset that could not be read. Interrupted calls and short reads
/// are finished, never reported. A file that is found shorter than it was is an error, too; what it grew by while it is
/// read is delivered. A directory is reported by the first call that reads.
///
/// Different readers may be used by different threads at once; one reader by one thread at a time, and by another one
/// after being moved or handed over. After a fork() both processes may go on with their copy of a reader on a file.
class reader {
 public:
  /// What get() and peek() return where there is no next byte.
  static constexpr int end_of_file = -1;

  /// A closed reader.
  reader() noexcept = default;

  /// Opens `path` for reading.
  /// @throws freshet::error  when the file can't be opened, or an option is invalid or not available here
  [[gnu::always_inline]] explicit reader(const path_argument& path, const reader_options& options = {})
      : reader{detail::open_to_read(path, options)} {}
  /// The same; `failure` is cleared on success, and set on failure, which leaves a closed reader.
  [[gnu::always_inline]] reader(const path_argument& path, const reader_options& options, std::error_code& failure) {
    detail::attempt(failure, [&] { *this = reader{path, options}; });
  }

  /// Reads from an open descriptor, from its own position on: a pipe, a device, a file opened elsewhere. Always by the
  /// method "buffered"; of `options`, block counts. The reader may take more from a pipe or device than it hands out;
  /// a borrowed file's own position is moved to where reading ended when the reader ends.
  /// @throws freshet::error  when `descriptor` is not open for reading
  [[nodiscard, gnu::always_inline]] static reader on_descriptor(int descriptor, ownership whose = ownership::borrow,
                                                                const reader_options& options = {}) {
    return reader{detail::adopt_to_read(descriptor, whose == ownership::take, options)};
  }
  /// Reads from the process's standard input, whose descriptor stays open.
  [[nodiscard, gnu::always_inline]] static reader standard_input(const reader_options& options = {}) {
    return on_descriptor(0, ownership::borrow, options);
  }

  /// Moves the open file; `other` is closed afterwards.
  [[gnu::always_inline]] reader(reader&& other) noexcept
      : cursor_{std::exchange(other.cursor_, nullptr)},
        limit_{std::exchange(other.limit_, nullptr)},
        source_{std::exchange(other.source_, nullptr)} {}
  /// Closes this reader's file, ignoring errors, then moves.
  [[gnu::always_inline]] reader& operator=(reader&& other) noexcept {
    if (this == &other) return *this;
    abandon();
    cursor_ = std::exchange(other.cursor_, nullptr);
    limit_ = std::exchange(other.limit_, nullptr);
    source_ = std::exchange(other.source_, nullptr);
    return *this;
  }
  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;
  /// Closes, ignoring errors.
  [[gnu::always_inline]] ~reader() { abandon(); }

  /// Whether there is a file to read from; true after an error, too, until close().
  [[nodiscard]] bool is_open() const noexcept { return detail::is_open(source_); }

  /// Takes the next byte, 0 … 255, or returns end_of_file.
  [[gnu::always_inline]] int get() {
    if (cursor_ == limit_) [[unlikely]]
      if (!refill()) return end_of_file;
    return static_cast<int>(*cursor_++);
  }
  /// Returns the next byte, 0 … 255, or end_of_file, without taking it.
  [[gnu::always_inline]] int peek() {
    if (cursor_ == limit_) [[unlikely]]
      if (!refill()) return end_of_file;
    return static_cast<int>(*cursor_);
  }

  /// Fills `into`; returns how many bytes that were, fewer only where the file ends.
  [[gnu::always_inline]] std::size_t read(std::span<std::byte> into) {
    if (into.size() > left()) [[unlikely]]
      return renew(detail::read_across, into).length;
    // An empty span's null pointer is no argument for memcpy.
    if (!into.empty()) std::memcpy(into.data(), cursor_, into.size());
    cursor_ += into.size();
    return into.size();
  }
  /// As read(std::span<std::byte>), into characters.
  [[gnu::always_inline]] std::size_t read(std::span<char> into) { return read(std::as_writable_bytes(into)); }

  /// Takes the next `length` bytes, fewer only where the file ends, and returns them where they are: without a copy,
  /// unless they cross from one block to the next. Valid until the next call. Never takes more than twice the memory of
  /// what is really there, whatever `length` says.
  [[gnu::always_inline]] std::span<const std::byte> view(std::size_t length) {
    if (length > left()) [[unlikely]]
      return renew(detail::view_across, length).bytes;
    const octet* const from = std::exchange(cursor_, cursor_ + length);
    return {reinterpret_cast<const std::byte*>(from), length};
  }
  /// As view(), up to and with the next byte that is `last`, and no more than `most`; without one where none of them
  /// is, or the file ends.
  [[gnu::always_inline]] std::span<const std::byte> view_through(std::byte last, std::size_t most) {
    if (cursor_ == limit_) [[unlikely]]
      if (!refill()) return {};
    const auto* const end = static_cast<const octet*>(std::memchr(cursor_, std::to_integer<int>(last), left()));
    if (end == nullptr || static_cast<std::size_t>(end - cursor_) >= most) [[unlikely]]
      return renew(detail::view_through_across, last, most).bytes;
    const octet* const from = std::exchange(cursor_, end + 1);
    return {reinterpret_cast<const std::byte*>(from), static_cast<std::size_t>(cursor_ - from)};
  }
  /// Returns the bytes that are in memory from here on, at least one unless the file ends here, without taking any.
  /// Valid until the next call but available(), peek(), and skip() over a part of them.
  [[gnu::always_inline]] std::span<const std::byte> available() {
    if (cursor_ == limit_) [[unlikely]]
      refill();
    return {reinterpret_cast<const std::byte*>(cursor_), left()};
  }

  /// Takes the first `length` bytes of available(), which stay valid until the next call. Precondition: it has as many.
  void advance(std::size_t length) noexcept { cursor_ += length; }

  /// Moves past `length` bytes. In a file that may lead beyond its end, where there is nothing to read; what cannot
  /// seek, is read until there.
  [[gnu::always_inline]] void skip(std::uint64_t length) {
    if (length > left()) [[unlikely]]
      renew(detail::skip, length);
    else
      cursor_ += length;
  }
  /// Goes to `offset`, in bytes from the file's start. It may lie beyond the end, where there is nothing to read.
  /// @throws freshet::error  for pipes, sockets and character devices (errc::invalid_seek), unless it is in memory
  [[gnu::always_inline]] void seek(std::uint64_t offset) { renew(detail::seek_source, offset); }

  /// As get(), with an error code; end_of_file when it is set.
  int get(std::error_code& failure) noexcept {
    int next = end_of_file;
    detail::attempt(failure, [&] { next = get(); });
    return next;
  }
  /// As peek(), with an error code; end_of_file when it is set.
  int peek(std::error_code& failure) noexcept {
    int next = end_of_file;
    detail::attempt(failure, [&] { next = peek(); });
    return next;
  }
  /// As read(std::span<std::byte>), with an error code; 0 when it is set.
  std::size_t read(std::span<std::byte> into, std::error_code& failure) noexcept {
    return detail::attempt(failure, [&] { return read(into); });
  }
  /// As read(std::span<char>), with an error code; 0 when it is set.
  std::size_t read(std::span<char> into, std::error_code& failure) noexcept {
    return detail::attempt(failure, [&] { return read(into); });
  }
  /// As view(), with an error code; nothing when it is set.
  std::span<const std::byte> view(std::size_t length, std::error_code& failure) noexcept {
    return detail::attempt(failure, [&] { return view(length); });
  }
  /// As view_through(), with an error code; nothing when it is set.
  std::span<const std::byte> view_through(std::byte last, std::size_t most, std::error_code& failure) noexcept {
    return detail::attempt(failure, [&] { return view_through(last, most); });
  }
  /// As available(), with an error code; nothing when it is set.
  std::span<const std::byte> available(std::error_code& failure) noexcept {
    return detail::attempt(failure, [&] { return available(); });
  }
  /// As skip(), with an error code.
  void skip(std::uint64_t length, std::error_code& failure) noexcept {
    detail::attempt(failure, [&] { skip(length); });
  }
  /// As seek(), with an error code.
  void seek(std::uint64_t offset, std::error_code& failure) noexcept {
    detail::attempt(failure, [&] { seek(offset); });
  }

  /// Bytes from the file's start (from where it stood, of a borrowed pipe or device) to the next one. No system call.
  /// After an error: where it happened.
  [[nodiscard]] std::uint64_t tell() const noexcept {
    return source_ != nullptr ? source_->front_offset + static_cast<std::uint64_t>(cursor_ - source_->front) : 0;
  }
  /// Bytes that the file has now; asks the system. 0 for what has no size: pipes, devices, files below /proc. From now
  /// on the file may not end before that.
  [[nodiscard]] std::uint64_t size() const { return detail::size(source_); }
  /// The same, with an error code; 0 when it is set.
  [[nodiscard]] std::uint64_t size(std::error_code& failure) const noexcept {
    return detail::attempt(failure, [&] { return size(); });
  }

  /// For what parses a file through this reader and finds it malformed at `offset`. The reader itself goes on as
  /// before.
  /// @throws freshet::error  always: for reason `why`, with the file's path, `offset` and `detail`
  [[noreturn, gnu::cold]] void reject(std::errc why, std::uint64_t offset, std::string_view detail) const {
    detail::reject(source_, why, offset, detail);
  }

  /// Closes. On a closed reader: nothing. The file is closed whatever is thrown.
  [[gnu::always_inline]] void close() { renew(detail::close_source); }
  /// The same, with an error code.
  void close(std::error_code& failure) noexcept {
    detail::attempt(failure, [&] { close(); });
  }

  /// The first error, which every call reports since; none while all went well.
  [[nodiscard]] std::error_code last_error() const noexcept { return detail::last_error(source_); }
  /// The name of the method at work ("buffered", "uring", …); after a fallback, the one fallen back to. A profile's is
  /// chosen when the file has outgrown the first block. Empty when closed.
  [[nodiscard]] std::string_view method() const noexcept { return detail::method_name(source_); }
  /// The file's descriptor, -1 when closed.
  [[nodiscard]] int native_handle() const noexcept { return detail::native_handle(source_); }

 private:
  // All that a hot function may use is always inlined: a copy of it elsewhere would be given the reader's address, and
  // the cursor could no longer stay in a register (doc/decisions/0006-writer-in-registers.md).
  using octet = detail::octet;

  [[gnu::always_inline]] explicit reader(detail::owned_source source) noexcept : source_{source.release()} {
    if (source_ != nullptr) cursor_ = limit_ = source_->front;
  }

  [[nodiscard]] std::size_t left() const noexcept { return static_cast<std::size_t>(limit_ - cursor_); }

  /// Has `operation` give the next window. When it throws, there is none.
  template <typename Result, typename... Parameters, typename... Arguments>
  [[gnu::always_inline]] Result renew(Result (*operation)(detail::open_source*, const octet*, Parameters...),
                                      Arguments... arguments) {
    const octet* const read_to = std::exchange(cursor_, nullptr);
    limit_ = nullptr;
    const Result result = operation(source_, read_to, arguments...);
    enter(result);
    return result;
  }
  /// False where the file ends.
  [[gnu::always_inline]] bool refill() {
    renew(detail::refill);
    return cursor_ != limit_;
  }
  void enter(const detail::read_window& next) noexcept {
    cursor_ = next.cursor;
    limit_ = next.limit;
  }

  [[gnu::always_inline]] void abandon() noexcept {
    if (source_ == nullptr) return;
    detail::abandon(source_, cursor_);
    detail::destroy(source_);
    source_ = nullptr;
  }

  const octet* cursor_ = nullptr;
  const octet* limit_ = nullptr;
  // Owned. The functions of a std::unique_ptr, where they are not inlined, would be given its address.
  detail::open_source* source_ = nullptr;
};

}  // namespace freshet
