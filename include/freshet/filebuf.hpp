/// @file
/// freshet::filebuf, the stream buffer of freshet's streams, which any std::ostream or std::istream may use.
#pragma once

#include <cstdint>
#include <ios>
#include <optional>
#include <streambuf>
#include <string_view>

#include <freshet/detail/export.hpp>
#include <freshet/detail/native_handle.hpp>
#include <freshet/detail/owner.hpp>
#include <freshet/error.hpp>
#include <freshet/options.hpp>
#include <freshet/path_argument.hpp>

namespace freshet {

struct file_statistics;

namespace detail {
class sink;
struct insertion;
struct extraction;
struct FRESHET_API put_back_character;
FRESHET_API void destroy(put_back_character* character) noexcept;
class FRESHET_API put_area_watch;  // NOLINT(cppcoreguidelines-virtual-class-destructor): it is final
FRESHET_API void destroy(put_area_watch* watch) noexcept;
}  // namespace detail

/// A std::streambuf that reads and writes a file with freshet's methods. It replaces std::filebuf and has the same open
/// modes, positions and results. Its put and get areas are the blocks that are exchanged with the kernel.
///
/// It differs from std::filebuf where the standard leaves a choice:
/// - Reading may follow writing, and writing may follow reading, without a seek between them.
/// - Positions are also exact in files opened for appending.
/// - The first failed write is final, as for freshet::writer, even after the stream's state is cleared; last_error()
///   returns it.
/// - setbuf(nullptr, 0) turns buffering off. Other calls of setbuf() do nothing, because freshet provides the blocks.
/// - A derived class may override the virtual functions and call them, but must leave the put and get areas as they
///   are: they are blocks that belong to the method. No function of filebuf calls one that could be overridden.
/// - Characters are not converted. If the codecvt facet of the locale would convert them, or may do so later, reading
///   and writing fail (errc::not_supported), whenever that locale was imbued. A facet whose always_noconv() is false
///   is accepted if its encoding() is 1 and its in() and out() leave all bytes, and all pairs of bytes, as they are.
class FRESHET_API filebuf : public std::streambuf {
 public:
  /// Makes a closed buffer.
  filebuf() = default;
  /// Takes over the open file of `other`, which is closed afterwards.
  filebuf(filebuf&& other) noexcept : filebuf{} { swap(other); }
  /// Closes this buffer's file, ignoring errors, then takes over the file of `other`.
  filebuf& operator=(filebuf&& other) noexcept;
  /// Closes the file, ignoring errors. Discards a hidden file that close() did not publish, and leaves a compressed or
  /// encrypted one without its end, so that it does not pass for complete.
  ~filebuf() override;

  /// Exchanges files, buffered characters, positions and locales.
  void swap(filebuf& other) noexcept;
  /// Exchanges files, buffered characters, positions and locales.
  friend void swap(filebuf& one, filebuf& other) noexcept { one.swap(other); }

  /// Returns whether a file is open.
  [[nodiscard]] bool is_open() const noexcept { return out_ || in_; }

  /// Opens the file `name`. A file that is both read and written always uses the method "buffered".
  /// @param name     the file's path
  /// @param mode     one of the standard's modes: out, out|trunc, app, out|app, in, in|out, in|out|trunc, in|app or
  ///                 in|out|app; each may include ate, and binary, which has no effect. Those with out but without app
  ///                 may include noreplace (C++23), except in|out: a file that exists is then an error
  /// @param writing  how to write the file; its `mode` does not apply. Default: as in the profile
  /// @param reading  how to read the file. Default: as in the profile
  /// @returns this, or null if the mode is invalid, a file is already open or the file cannot be opened; last_error()
  ///          then returns the reason
  /// @throws std::bad_alloc  and leaves the buffer closed
  filebuf* open(const path_argument& name, std::ios_base::openmode mode, const writer_options& writing = {},
                const reader_options& reading = {});
  /// Opens the file `name` for writing.
  /// @param name     the file's path
  /// @param options  how to write the file, including its `mode`
  /// @returns this, or null if a file is already open or the file cannot be opened; last_error() then returns the
  /// reason
  /// @throws std::bad_alloc  and leaves the buffer closed
  filebuf* open(const path_argument& name, const writer_options& options);

  /// Writes what is left, makes it durable as writer_options::durability says, and closes the file in any case.
  /// @returns this, or null if no file was open or an operation failed
  filebuf* close() noexcept;
  /// Gives up a file that is hidden until it is closed: it never appears, and an existing file of its name stays as it
  /// is. Writes what is left to any other file and closes it, ignoring errors.
  void discard() noexcept;

  /// Returns the offset of the next byte to write or read, in bytes from the file's start; -1 if the file is closed,
  /// has no position (pipes, terminals) or a write has failed. Does not write or wait. The first call may make a system
  /// call to find out the kind of file.
  [[nodiscard]] std::streamoff tell() noexcept;

  /// Preallocates disk space for a file of `bytes` bytes without changing its size. Does nothing if the file system
  /// cannot preallocate. Precondition: the file is open for writing.
  /// @returns false if there is not enough space
  bool reserve(std::uint64_t bytes) noexcept;

  /// Returns the first error since open(), or nothing if there was none.
  [[nodiscard]] const std::optional<error>& last_error() const noexcept { return error_; }
  /// Returns the name of the method in use, such as "buffered" or "uring"; empty if no file is open.
  [[nodiscard]] std::string_view method() noexcept;
  /// Returns what happened so far, also after close() and until the next open(): bytes and waits by method, and its
  /// changes with their reasons. Of a file that is both written and read, the bytes and waits of both together.
  /// Needs <freshet/statistics.hpp>. With FRESHET_LOG=1 in the environment, close() prints it on standard error.
  template <typename Statistics = file_statistics>
  [[nodiscard]] Statistics statistics() const {
    Statistics result;
    collect_statistics(result);
    return result;
  }
  /// Returns the checksum of all bytes that were written, once close() succeeded and until the next open(); before, and
  /// where writer_options::checksum asks for none, checksum_algorithm::none.
  [[nodiscard]] freshet::checksum checksum() const noexcept;
  /// Returns the file's descriptor (HANDLE), or no_native_handle if no file is open. From then on the file is written,
  /// by the method "buffered", at the descriptor's own position, and so in order with what others write there: flush()
  /// first.
  [[nodiscard]] native_handle_type native_handle() const noexcept;

 protected:
  /// Makes room in the put area and appends `character`. @returns eof on failure
  int_type overflow(int_type character = traits_type::eof()) override;
  /// Writes `length` characters. @returns `length`, or 0 on failure
  std::streamsize xsputn(const char* from, std::streamsize length) override;
  /// Hands everything written to the kernel. @returns 0, or -1 on failure
  int sync() override;
  /// Fills the get area. @returns its first character, or eof at the end of the file
  /// @throws std::ios_base::failure  if the file cannot be read
  int_type underflow() override;
  /// Moves back by one character, which will then be read as `character`. @returns eof if that is not possible
  int_type pbackfail(int_type character = traits_type::eof()) override;
  /// Reads `length` characters. @returns how many were read, fewer only at the end of the file
  /// @throws std::ios_base::failure  if the file cannot be read
  std::streamsize xsgetn(char* into, std::streamsize length) override;
  /// Returns the number of bytes up to the file's end; for a pipe or a terminal, those that are ready; -1 if the file
  /// is not open for reading.
  std::streamsize showmanyc() override;
  /// Moves to `by` bytes from `from` for both reading and writing. What is read then is what the file holds at that
  /// moment, unless it is compressed or encrypted. @returns the new position, or -1 on failure
  pos_type seekoff(off_type by, std::ios_base::seekdir from, std::ios_base::openmode) override;
  /// Moves to `to` for both reading and writing. @returns the new position, or -1 on failure
  pos_type seekpos(pos_type to, std::ios_base::openmode) override;
  /// Turns buffering off if given null and 0: every write then goes to the kernel at once. Otherwise does nothing.
  std::streambuf* setbuf(char* memory, std::streamsize length) override;
  /// Refuses to write and read from now on if the locale would convert characters.
  void imbue(const std::locale& locale) override;

 private:
  friend struct detail::insertion;
  friend struct detail::extraction;
  friend class detail::put_area_watch;

  enum class activity : std::uint8_t { none, writing, reading };

  /// Runs `operation` and records the error that it throws. Returns whether it succeeded.
  template <typename Operation>
  bool record_error(Operation operation) noexcept;
  /// Calls `operation` with the sink, which has taken the put area's content. Returns false, and records the error, if
  /// the sink failed.
  template <typename Operation>
  bool exchange_window(Operation operation) noexcept;

  template <typename Operation>
  filebuf* open_by(Operation open);
  void open_to_write(const detail::native_string& name, const writer_options& options);
  void open_to_edit(const detail::native_string& name, std::ios_base::openmode mode, const writer_options& writing,
                    const reader_options& reading);
  void collect_statistics(file_statistics& result) const;
  void release() noexcept;
  [[nodiscard]] std::streamoff tell_first() noexcept;
  /// Lets the sink take the put area's content, without what belongs to the parent of a fork.
  detail::sink& take_put_area() noexcept;
  void start_output(detail::owned_file out) noexcept;
  [[nodiscard]] native_handle_type descriptor() const noexcept;
  /// Like tell(), without checking whether the file has positions.
  [[nodiscard]] std::streamoff position() const noexcept { return front_ + (pptr() - pbase()) + (gptr() - eback()); }

  /// Whether the put area is the sink's block, or there is none; a derived class may have set memory of its own.
  [[nodiscard]] bool put_area_is_block() const noexcept;
  [[nodiscard]] bool is_writing() const noexcept { return activity_ == activity::writing; }
  bool is_converting() noexcept;
  bool start_writing() noexcept;
  bool start_reading() noexcept;
  bool pause() noexcept;
  bool flush() noexcept;
  [[nodiscard]] bool is_reachable(std::streamoff target) const noexcept;
  [[nodiscard]] bool has_positions() noexcept;
  bool go_to(std::streamoff target) noexcept;
  std::streamoff end_of_file() noexcept;
  void show_output() noexcept;
  void show_input(std::streamoff offset) noexcept;
  bool refill();
  std::streamsize read_past_area(char* into, std::streamsize length);
  void throw_if_unreadable();
  void throw_if_converting();

  detail::owned_file out_;
  detail::owner<detail::put_area_watch> watch_;  // of a file that is open for writing
  detail::owned_source in_;                      // shares the output's descriptor, if there is one
  // Those of the last file once it is closed, for its statistics.
  detail::owned_file closed_out_;
  detail::owned_source closed_in_;
  activity activity_ = activity::none;
  bool has_positions_ = false;  // known to have them; false after a failed write
  bool unbuffered_ = false;
  bool converts_ = false;                               // the locale's codecvt facet may; there are no areas then
  std::streamoff front_ = 0;                            // offset of the put or get area; without one, where to continue
  detail::owner<detail::put_back_character> put_back_;  // the get area while it differs from the file
  std::optional<error> error_;
};

}  // namespace freshet
