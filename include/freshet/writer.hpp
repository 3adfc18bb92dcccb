/// @file
/// freshet::writer: the leanest way to write a file from front to back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>

#include <freshet/error.hpp>
#include <freshet/options.hpp>

namespace freshet {

class output;

namespace detail {
// Stores of char may alias everything, the writer's own members included, and would have them loaded anew for each
// byte; stores of a type of its own do not.
enum class octet : unsigned char {};
}  // namespace detail

/// Whether a writer closes the descriptor it was given.
enum class ownership : std::uint8_t {
  borrow,  ///< the caller closes it
  take,    ///< close() and the destructor do
};

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
  writer() noexcept;

  /// Opens `path` for writing.
  /// @throws freshet::error  when the file can't be opened, or an option is invalid or not available here
  explicit writer(const std::filesystem::path& path, const writer_options& options = {});
  /// The same; `failure` is cleared on success, and set on failure, which leaves a closed writer.
  writer(const std::filesystem::path& path, const writer_options& options, std::error_code& failure);

  /// Writes to an open descriptor, at its own position: a pipe, a device, a file opened elsewhere. Always by the method
  /// "buffered". Of `options`, block and durability count.
  /// @throws freshet::error  when `descriptor` is not open for writing
  [[nodiscard]] static writer on_descriptor(int descriptor, ownership whose = ownership::borrow,
                                            const writer_options& options = {});
  /// Writes to the process's standard output, whose descriptor stays open.
  [[nodiscard]] static writer standard_output(const writer_options& options = {});

  /// Moves the open file; `other` is closed afterwards.
  writer(writer&& other) noexcept;
  /// Writes what is left to this writer's file and closes it, ignoring errors, then moves.
  writer& operator=(writer&& other) noexcept;
  writer(const writer&) = delete;
  writer& operator=(const writer&) = delete;
  /// Writes what is left and closes, ignoring errors. An `atomic` file that was not close()d is given up.
  ~writer();

  /// Whether there is a file to write to; true after an error, too, until close().
  [[nodiscard]] bool is_open() const noexcept;

  /// Appends one character.
  void put(char character) {
    if (cursor_ == limit_) [[unlikely]]
      make_room();
    *cursor_++ = static_cast<detail::octet>(character);
  }

  /// Appends `text`.
  void write(std::string_view text) {
    if (text.size() == 1) return put(text.front());
    if (text.size() <= room()) [[likely]]
      copy(text.data(), text.size());
    else
      write_across(std::as_bytes(std::span{text}));
  }
  /// Appends `bytes`.
  void write(std::span<const std::byte> bytes) {
    if (bytes.size() <= room()) [[likely]]
      copy(bytes.data(), bytes.size());
    else
      write_across(bytes);
  }
  /// Appends `length` characters of `text` from `offset` on, or as many as there are.
  /// @throws std::out_of_range  when `offset` lies beyond the end of `text`
  void write(std::string_view text, std::size_t offset, std::size_t length) { write(text.substr(offset, length)); }

  /// As put(char), with an error code.
  void put(char character, std::error_code& failure) noexcept;
  /// As write(std::string_view), with an error code.
  void write(std::string_view text, std::error_code& failure) noexcept {
    write(std::as_bytes(std::span{text}), failure);
  }
  /// As write(std::span), with an error code.
  void write(std::span<const std::byte> bytes, std::error_code& failure) noexcept;

  /// Bytes from the file's start (from where it stood, of a borrowed descriptor) to where the next one goes. No system
  /// call.
  [[nodiscard]] std::uint64_t tell() const noexcept { return start_ + static_cast<std::uint64_t>(cursor_ - begin_); }
  /// Bytes that the file has, or will have once all is written. No system call.
  [[nodiscard]] std::uint64_t size() const noexcept { return tell(); }

  /// Sets disk space aside for a file of `bytes` bytes without changing its size; less than is there already does
  /// nothing. Best effort: a file system that cannot do it is no error, a full one is.
  void reserve(std::uint64_t bytes);
  /// The same, with an error code.
  void reserve(std::uint64_t bytes, std::error_code& failure) noexcept;

  /// Returns when the kernel has everything: other processes see it, and it survives this one's end.
  void flush();
  /// The same, with an error code.
  void flush(std::error_code& failure) noexcept;

  /// Returns when the device has everything: it survives a power cut. A failure is final (fsync(2) cannot be repeated).
  void sync();
  /// The same, with an error code.
  void sync(std::error_code& failure) noexcept;

  /// Writes what is left, keeps the durability promised, gives back unused space and closes. On a closed writer:
  /// nothing. The file is closed whatever is thrown.
  void close();
  /// The same, with an error code.
  void close(std::error_code& failure) noexcept;

  /// Bytes known to be in the file from its start without a gap, as other processes see it. After an error: all of it.
  [[nodiscard]] std::uint64_t written_bytes() const noexcept;
  /// Bytes known to be on the device from the file's start without a gap.
  [[nodiscard]] std::uint64_t durable_bytes() const noexcept;

  /// The first error, which every call reports since; none while all went well.
  [[nodiscard]] std::error_code last_error() const noexcept;
  /// The name of the method at work ("buffered", "uring", …); after a fallback, the one fallen back to. Empty when
  /// closed.
  [[nodiscard]] std::string_view method() const noexcept;
  /// The file's descriptor, -1 when closed. What is written to it directly ends up where the kernel puts it, not in
  /// order.
  [[nodiscard]] int native_handle() const noexcept;

 private:
  explicit writer(std::unique_ptr<output> opened) noexcept;

  [[nodiscard]] std::size_t room() const noexcept { return static_cast<std::size_t>(limit_ - cursor_); }
  void copy(const void* from, std::size_t length) noexcept {
    // An empty span's null pointer is no argument for memcpy.
    if (length != 0) std::memcpy(cursor_, from, length);
    cursor_ += length;
  }
  [[nodiscard]] std::size_t filled() const noexcept { return static_cast<std::size_t>(cursor_ - begin_); }
  void make_room();
  void write_across(std::span<const std::byte> bytes);
  void take_window(std::size_t kept) noexcept;
  void abandon() noexcept;
  [[nodiscard]] output& opened() const;
  void throw_failure() const;

  // The block being filled: [begin_, limit_), whose first byte stands at start_ in the file. Without room after an
  // error and when closed, so that the inline functions need no other test.
  detail::octet* cursor_ = nullptr;
  detail::octet* limit_ = nullptr;
  detail::octet* begin_ = nullptr;
  std::uint64_t start_ = 0;
  std::unique_ptr<output> output_;
};

}  // namespace freshet
