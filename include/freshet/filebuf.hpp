/// @file
/// freshet::filebuf: the stream buffer behind freshet's streams, for any std::ostream or std::istream.
#pragma once

#include <cstdint>
#include <ios>
#include <optional>
#include <streambuf>
#include <string>
#include <utility>

#include <freshet/detail/open_file.hpp>
#include <freshet/detail/open_source.hpp>
#include <freshet/error.hpp>
#include <freshet/options.hpp>
#include <freshet/path_argument.hpp>

namespace freshet {

namespace detail {
struct insertion;
struct put_back_character;
void destroy(put_back_character* character) noexcept;
}  // namespace detail

/// A std::streambuf that reads and writes a file by freshet's methods: std::filebuf for `char`, with the same open
/// modes, positions and results. It fills and empties the very blocks that are exchanged with the kernel.
///
/// What std::filebuf leaves open: reading may follow writing, and writing reading, without a seek between them.
/// Positions are exact in files opened to append, too. The first failed write sticks, as it does for freshet::writer,
/// whatever becomes of the stream's state; last_error() says what it was. Blocks come from freshet, so setbuf() chooses
/// no buffer; only setbuf(nullptr, 0) means what it says: no buffering. The file's bytes are the characters: with a
/// locale whose codecvt facet would change them, reading and writing fail (errc::not_supported).
class filebuf : public std::streambuf {
 public:
  /// A closed one.
  filebuf() = default;
  /// Moves the open file; `other` is closed afterwards.
  filebuf(filebuf&& other) noexcept : filebuf{} { swap(other); }
  /// Closes this one's file, then moves.
  filebuf& operator=(filebuf&& other) noexcept;
  /// Closes, ignoring errors. A hidden file that was not close()d is given up.
  ~filebuf() override;

  /// Exchanges files, buffered characters, positions and locales.
  void swap(filebuf& other) noexcept;
  /// The same.
  friend void swap(filebuf& one, filebuf& other) noexcept { one.swap(other); }

  /// Whether a file is open.
  [[nodiscard]] bool is_open() const noexcept { return out_ || in_; }

  /// Opens `name` in one of the standard's modes: out, out|trunc, app, out|app, in, in|out, in|out|trunc, in|app,
  /// in|out|app, each with or without binary (which changes nothing) and ate. Writes as `writing` says, but for its own
  /// `mode`; a file that is also read always by the method "buffered". Reads as `reading` says; a file that is also
  /// written always by "buffered". Default of both: the profile's way.
  /// @returns this, or null when the mode is none of these, a file is open already, or it cannot be opened:
  ///          last_error() says why
  filebuf* open(const path_argument& name, std::ios_base::openmode mode, const writer_options& writing = {},
                const reader_options& reading = {});
  /// Opens `name` for writing as `options` say, their `mode` included.
  filebuf* open(const path_argument& name, const writer_options& options);

  /// Writes what is left, keeps the durability promised and closes. @returns this, or null when nothing was open or
  /// something failed; it is closed in any case
  filebuf* close() noexcept;

  /// Bytes from the file's start to where the next one is written or read; -1 when closed, after a failed write, and
  /// for pipes and devices. Neither writes nor waits, and needs no system call but a first look at what kind of file it
  /// is.
  [[nodiscard]] std::streamoff tell() noexcept { return has_positions_ ? here() : tell_first(); }

  /// Sets disk space aside for a file of `bytes` bytes without changing its size. @returns whether that worked; a file
  /// system that cannot do it is no failure, a full one is. Precondition: open for writing.
  bool reserve(std::uint64_t bytes) noexcept;

  /// The first thing that went wrong with the file since open(): which operation, and why; empty while all went well.
  [[nodiscard]] const std::optional<error>& last_error() const noexcept { return error_; }
  /// The name of the method at work ("buffered", "uring", …); empty when closed.
  [[nodiscard]] std::string_view method() noexcept;
  /// The file's descriptor; -1 when closed.
  [[nodiscard]] int native_handle() const noexcept;

 protected:
  /// Makes room in the put area and puts `character` there.
  int_type overflow(int_type character = traits_type::eof()) override;
  /// Writes `length` characters. @returns how many: all, or 0 on failure
  std::streamsize xsputn(const char* from, std::streamsize length) override;
  /// Hands what was written to the kernel. @returns 0, or -1 on failure
  int sync() override;
  /// Fills the get area. @returns its first character, or eof at the end of the file
  /// @throws std::ios_base::failure  when the file cannot be read
  int_type underflow() override;
  /// Goes back by one, and has `character` read there, whatever the file has. @returns eof where that cannot be
  int_type pbackfail(int_type character = traits_type::eof()) override;
  /// Reads `length` characters. @returns how many; fewer only at the end of the file
  /// @throws std::ios_base::failure  when the file cannot be read
  std::streamsize xsgetn(char* into, std::streamsize length) override;
  /// @returns the bytes from here to the file's end; -1 when it is not read
  std::streamsize showmanyc() override;
  /// Goes to `by` bytes from `from`, for reading and writing both. @returns the new position, or -1 on failure
  pos_type seekoff(off_type by, std::ios_base::seekdir from, std::ios_base::openmode) override;
  /// Goes to `to`, for reading and writing both. @returns the new position, or -1 on failure
  pos_type seekpos(pos_type to, std::ios_base::openmode) override;
  /// With null and 0, has every write go to the kernel at once; with anything else, nothing.
  std::streambuf* setbuf(char* memory, std::streamsize length) override;
  /// Takes note of whether the locale would change characters.
  void imbue(const std::locale& locale) override;

 private:
  friend struct detail::insertion;

  enum class activity : std::uint8_t { none, writing, reading };

  /// Does `operation` and remembers what it threw; whether it threw nothing.
  template <typename Operation>
  bool attempt(Operation operation) noexcept;
  /// Has `operation` take what the put area holds and give the next one.
  template <typename Operation>
  bool renew(Operation operation) noexcept;

  template <typename Operation>
  filebuf* open_by(Operation open) noexcept;
  void open_to_write(const std::filesystem::path& name, const writer_options& options);
  void open_to_edit(const std::filesystem::path& name, std::ios_base::openmode mode, const writer_options& writing,
                    const reader_options& reading);
  void abandon() noexcept;
  void leave() noexcept;
  [[nodiscard]] std::streamoff tell_first() noexcept;
  /// tell(), whatever kind of file it is.
  [[nodiscard]] std::streamoff here() const noexcept { return front_ + (pptr() - pbase()) + (gptr() - eback()); }

  [[nodiscard]] bool is_writing() const noexcept { return doing_ == activity::writing; }
  bool is_converting() noexcept;
  bool start_writing() noexcept;
  bool start_reading() noexcept;
  bool pause() noexcept;
  bool flush() noexcept;
  bool go_to(std::streamoff position) noexcept;
  std::streamoff end_of_file() noexcept;
  void show_output(detail::window next) noexcept;
  void show_input(std::streamoff position) noexcept;
  bool refill();
  std::streamsize read_past_area(char* into, std::streamsize length);
  void throw_if_unreadable();

  detail::owned_file out_;
  detail::owned_source in_;  // on the output's descriptor, where there is one
  activity doing_ = activity::none;
  bool has_positions_ = false;  // known to have; false after a failed write, too
  bool unbuffered_ = false;
  bool converts_ = false;     // by its locale's codecvt facet, which is not supported
  std::streamoff front_ = 0;  // of the put or get area, in the file; without one, where to go on
  detail::owner<detail::put_back_character>
      put_back_;  // the get area while it holds a character that is not the file's
  std::optional<error> error_;
};

}  // namespace freshet
