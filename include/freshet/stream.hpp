/// @file
/// freshet::ofstream, ifstream and fstream: the standard's file streams, by freshet's methods. To port a program,
/// change the type's name.
#pragma once

#include <concepts>
#include <cstdint>
#include <istream>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include <freshet/detail/insertion.hpp>
#include <freshet/error.hpp>
#include <freshet/filebuf.hpp>
#include <freshet/options.hpp>
#include <freshet/path_argument.hpp>

namespace freshet {

/// What freshet's three streams share: a std::ostream, std::istream or std::iostream with a freshet::filebuf of its
/// own. A file that cannot be opened sets failbit, and what cannot be read or written sets badbit, as with std's
/// streams; last_error() then says what happened.
template <typename Standard>
class file_stream : public Standard {
 public:
  /// Closes, ignoring errors. A hidden file that was not close()d is given up.
  ~file_stream() override = default;

  /// Its own buffer, also while std::ios::rdbuf() leads elsewhere.
  [[nodiscard]] filebuf* rdbuf() const noexcept { return const_cast<filebuf*>(&buffer_); }
  /// Whether a file is open.
  [[nodiscard]] bool is_open() const noexcept { return buffer_.is_open(); }
  /// Writes what is left, keeps the durability promised and closes; sets failbit when that failed or nothing was open.
  void close() {
    if (buffer_.close() == nullptr) this->setstate(std::ios_base::failbit);
  }

  /// The first thing that went wrong with the file since it was opened: which operation, and why; empty while all went
  /// well.
  [[nodiscard]] const std::optional<error>& last_error() const noexcept { return buffer_.last_error(); }
  /// The name of the method at work ("buffered", "uring", …); empty when closed.
  [[nodiscard]] std::string_view method() noexcept { return buffer_.method(); }
  /// The file's descriptor; -1 when closed.
  [[nodiscard]] int native_handle() const noexcept { return buffer_.native_handle(); }

 protected:
  /// A closed stream.
  file_stream() : Standard{nullptr} { this->std::ios::rdbuf(&buffer_); }
  /// Moves the open file and the stream's state; `other` is closed afterwards.
  file_stream(file_stream&& other) noexcept
      : Standard{static_cast<Standard&&>(other)}, buffer_{std::move(other.buffer_)} {
    this->set_rdbuf(&buffer_);
  }
  /// Closes this one's file, then moves.
  file_stream& operator=(file_stream&& other) noexcept {
    Standard::operator=(static_cast<Standard&&>(other));
    buffer_ = std::move(other.buffer_);
    return *this;
  }
  /// Exchanges files and states.
  void swap(file_stream& other) noexcept {
    Standard::swap(other);
    buffer_.swap(other.buffer_);
  }

  /// Has filebuf::open() open a file: clears the state, or sets failbit.
  template <typename... Arguments>
  void open_file(const Arguments&... arguments) {
    if (buffer_.open(arguments...) != nullptr)
      this->clear();
    else
      this->setstate(std::ios_base::failbit);
  }

  /// The file, and the put and get areas.
  filebuf buffer_;
};

/// What freshet's streams that write share. Where a stream's own type is known, characters, texts and numbers go
/// straight into its buffer; through a std::ostream& they take the standard's way there. What is written is the same,
/// byte for byte.
template <typename Standard>
class writing_stream : public file_stream<Standard> {
 public:
  /// Closes, ignoring errors.
  ~writing_stream() override { detail::locale_watch::stop(*this); }

  /// Bytes from the file's start to where the next one is written; -1 after a failure. Neither writes nor waits: no
  /// system call, once it is known what kind of file it is.
  [[nodiscard]] typename Standard::pos_type tellp() {
    return detail::insertion::is_plain(*this, this->buffer_) ? typename Standard::pos_type{this->buffer_.tell()}
                                                             : Standard::tellp();
  }

  /// Sets disk space aside for a file of `bytes` bytes without changing its size; close() gives back what was not used.
  /// Sets failbit when there is not enough; a file system that cannot do it is no failure.
  void reserve(std::uint64_t bytes) {
    if (!this->buffer_.reserve(bytes)) this->setstate(std::ios_base::failbit);
  }

  /// Writes one character, as std::ostream::put does.
  [[gnu::always_inline]] writing_stream& put(char character) {
    if (!detail::insertion::is_plain(*this, this->buffer_) || !detail::insertion::put(this->buffer_, character))
        [[unlikely]]
      Standard::put(character);
    return *this;
  }
  /// Writes `length` characters, as std::ostream::write does.
  [[gnu::always_inline]] writing_stream& write(const char* from, std::streamsize length) {
    if (!detail::insertion::is_plain(*this, this->buffer_) ||
        !detail::insertion::put(this->buffer_, std::string_view{from, static_cast<std::size_t>(length)})) [[unlikely]]
      Standard::write(from, length);
    return *this;
  }

  /// Writes `value` as std::ostream does. For these very types only: anything else, and whatever converts to one of
  /// them, is left to the standard's overloads.
  template <detail::inserted_by_value T>
  [[gnu::always_inline]] friend writing_stream& operator<<(writing_stream& out, T value) {
    if (!out.try_insert(value)) [[unlikely]]
      static_cast<Standard&>(out) << value;
    return out;
  }
  /// The same for strings.
  template <typename Allocator>
  [[gnu::always_inline]] friend writing_stream& operator<<(
      writing_stream& out, const std::basic_string<char, std::char_traits<char>, Allocator>& text) {
    return out << std::string_view{text};
  }

 protected:
  /// A closed stream.
  writing_stream() { watch_.start(*this); }
  /// As file_stream's.
  writing_stream(writing_stream&& other) noexcept : file_stream<Standard>{static_cast<file_stream<Standard>&&>(other)} {
    watch_after_move(other);
  }
  /// As file_stream's.
  writing_stream& operator=(writing_stream&& other) noexcept {
    file_stream<Standard>::operator=(static_cast<file_stream<Standard>&&>(other));
    watch_after_move(other);
    return *this;
  }
  /// As file_stream's.
  void swap(writing_stream& other) noexcept {
    file_stream<Standard>::swap(other);
    watch_after_move(other);
  }

 private:
  template <typename T>
  [[gnu::always_inline]] bool try_insert(T text) {
    return detail::insertion::is_formatless(*this, this->buffer_) && detail::insertion::put(this->buffer_, text);
  }
  template <detail::inserted_number T>
  bool try_insert(T value) {
    if (!watch_.is_classic()) [[unlikely]]
      watch_.resume(*this);
    return watch_.is_classic() && detail::insertion::is_formatless(*this, this->buffer_) &&
           detail::insertion::put_number(this->buffer_, value, *this);
  }

  void watch_after_move(writing_stream& other) noexcept {
    watch_.start(*this);
    other.watch_.start(other);
  }

  detail::locale_watch watch_;
};

/// std::ofstream, by freshet's methods.
class ofstream : public writing_stream<std::ostream> {
 public:
  /// A closed stream.
  ofstream() = default;
  /// Opens `name` in `mode`, which always includes `out`, and writes as `options` say, but for their own `mode`; by
  /// default as the profile says.
  explicit ofstream(const char* name, std::ios_base::openmode mode = out, const writer_options& options = {}) {
    open(name, mode, options);
  }
  /// The same.
  explicit ofstream(const std::string& name, std::ios_base::openmode mode = out, const writer_options& options = {}) {
    open(name, mode, options);
  }
  /// The same.
  template <std::same_as<std::filesystem::path> Path>
  explicit ofstream(const Path& name, std::ios_base::openmode mode = out, const writer_options& options = {}) {
    open(name, mode, options);
  }
  /// Opens `name` for writing as `options` say, their `mode` included.
  ofstream(const path_argument& name, const writer_options& options) { open(name, options); }
  /// Moves the open file and the stream's state; `other` is closed afterwards.
  ofstream(ofstream&& other) noexcept : writing_stream{std::move(other)} {}
  /// Closes this one's file, then moves.
  ofstream& operator=(ofstream&& other) noexcept {
    writing_stream::operator=(std::move(other));
    return *this;
  }
  /// Exchanges files and states.
  void swap(ofstream& other) noexcept { writing_stream::swap(other); }
  /// The same.
  friend void swap(ofstream& one, ofstream& other) noexcept { one.swap(other); }

  /// Opens a file, as the constructors do; sets failbit when that fails or a file is open already.
  void open(const char* name, std::ios_base::openmode mode = out, const writer_options& options = {}) {
    open_file(name, mode | out, options);
  }
  /// The same.
  void open(const std::string& name, std::ios_base::openmode mode = out, const writer_options& options = {}) {
    open_file(name, mode | out, options);
  }
  /// The same.
  template <std::same_as<std::filesystem::path> Path>
  void open(const Path& name, std::ios_base::openmode mode = out, const writer_options& options = {}) {
    open_file(name, mode | out, options);
  }
  /// The same.
  void open(const path_argument& name, const writer_options& options) { open_file(name, options); }
};

/// std::ifstream, by freshet's methods.
class ifstream : public file_stream<std::istream> {
 public:
  /// A closed stream.
  ifstream() = default;
  /// Opens `name` in `mode`, which always includes `in`, and reads as `options` say; by default as the profile says.
  explicit ifstream(const char* name, std::ios_base::openmode mode = in, const reader_options& options = {}) {
    open(name, mode, options);
  }
  /// The same.
  explicit ifstream(const std::string& name, std::ios_base::openmode mode = in, const reader_options& options = {}) {
    open(name, mode, options);
  }
  /// The same.
  template <std::same_as<std::filesystem::path> Path>
  explicit ifstream(const Path& name, std::ios_base::openmode mode = in, const reader_options& options = {}) {
    open(name, mode, options);
  }
  /// Opens `name` for reading as `options` say.
  ifstream(const path_argument& name, const reader_options& options) { open(name, options); }
  /// Moves the open file and the stream's state; `other` is closed afterwards.
  ifstream(ifstream&& other) noexcept : file_stream{std::move(other)} {}
  /// Closes this one's file, then moves.
  ifstream& operator=(ifstream&& other) noexcept {
    file_stream::operator=(std::move(other));
    return *this;
  }
  /// Exchanges files and states.
  void swap(ifstream& other) noexcept { file_stream::swap(other); }
  /// The same.
  friend void swap(ifstream& one, ifstream& other) noexcept { one.swap(other); }

  /// Opens a file, as the constructors do; sets failbit when that fails or a file is open already.
  void open(const char* name, std::ios_base::openmode mode = in, const reader_options& options = {}) {
    open_file(name, mode | in, writer_options{}, options);
  }
  /// The same.
  void open(const std::string& name, std::ios_base::openmode mode = in, const reader_options& options = {}) {
    open_file(name, mode | in, writer_options{}, options);
  }
  /// The same.
  template <std::same_as<std::filesystem::path> Path>
  void open(const Path& name, std::ios_base::openmode mode = in, const reader_options& options = {}) {
    open_file(name, mode | in, writer_options{}, options);
  }
  /// The same.
  void open(const path_argument& name, const reader_options& options) {
    open_file(name, in, writer_options{}, options);
  }
};

/// std::fstream, by freshet's methods; a file that it both reads and writes, by the method "buffered".
class fstream : public writing_stream<std::iostream> {
 public:
  /// A closed stream.
  fstream() = default;
  /// Opens `name` in `mode`, and writes as `options` say, but for their own `mode`; by default as the profile says.
  explicit fstream(const char* name, std::ios_base::openmode mode = in | out, const writer_options& options = {}) {
    open(name, mode, options);
  }
  /// The same.
  explicit fstream(const std::string& name, std::ios_base::openmode mode = in | out,
                   const writer_options& options = {}) {
    open(name, mode, options);
  }
  /// The same.
  template <std::same_as<std::filesystem::path> Path>
  explicit fstream(const Path& name, std::ios_base::openmode mode = in | out, const writer_options& options = {}) {
    open(name, mode, options);
  }
  /// Moves the open file and the stream's state; `other` is closed afterwards.
  fstream(fstream&& other) noexcept : writing_stream{std::move(other)} {}
  /// Closes this one's file, then moves.
  fstream& operator=(fstream&& other) noexcept {
    writing_stream::operator=(std::move(other));
    return *this;
  }
  /// Exchanges files and states.
  void swap(fstream& other) noexcept { writing_stream::swap(other); }
  /// The same.
  friend void swap(fstream& one, fstream& other) noexcept { one.swap(other); }

  /// Opens a file, as the constructors do; sets failbit when that fails or a file is open already.
  void open(const char* name, std::ios_base::openmode mode = in | out, const writer_options& options = {}) {
    open_file(name, mode, options);
  }
  /// The same.
  void open(const std::string& name, std::ios_base::openmode mode = in | out, const writer_options& options = {}) {
    open_file(name, mode, options);
  }
  /// The same.
  template <std::same_as<std::filesystem::path> Path>
  void open(const Path& name, std::ios_base::openmode mode = in | out, const writer_options& options = {}) {
    open_file(name, mode, options);
  }
};

}  // namespace freshet
