/// @file
/// freshet::ofstream, ifstream and fstream: the standard's file streams with freshet's methods. To port a program,
/// include this header instead of `<fstream>`, and change the type's name.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>  // ported programs still name std::ofstream::app and the like
#include <istream>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include <freshet/detail/extraction.hpp>
#include <freshet/detail/insertion.hpp>
#include <freshet/error.hpp>
#include <freshet/filebuf.hpp>
#include <freshet/options.hpp>
#include <freshet/path_argument.hpp>

namespace freshet {

/// The base of freshet's three streams: a std::ostream, std::istream or std::iostream that owns a freshet::filebuf. As
/// with the standard's streams, failing to open a file sets failbit, and failing to read or write sets badbit;
/// last_error() then returns the error. Opening throws std::bad_alloc where there is no memory, and leaves the stream
/// closed.
template <typename Standard>
class file_stream : public Standard {
 public:
  /// Closes the file, ignoring errors. Discards a hidden file that close() did not publish, and leaves a compressed or
  /// encrypted one without its end, so that it does not pass for complete.
  ~file_stream() override = default;

  /// Returns the stream's own buffer, even if std::ios::rdbuf() returns another one.
  [[nodiscard]] filebuf* rdbuf() const noexcept { return const_cast<filebuf*>(&buffer_); }
  /// Returns whether a file is open.
  [[nodiscard]] bool is_open() const noexcept { return buffer_.is_open(); }
  /// Writes what is left, makes it durable as writer_options::durability says, and closes the file. Sets failbit if
  /// that fails or no file is open.
  void close() {
    if (buffer_.close() == nullptr) this->setstate(std::ios_base::failbit);
  }
  /// Gives up a file that is hidden until it is closed, and closes any other file, as filebuf::discard() does.
  void discard() noexcept { buffer_.discard(); }

  /// Returns the first error since the file was opened, or nothing if there was none.
  [[nodiscard]] const std::optional<error>& last_error() const noexcept { return buffer_.last_error(); }
  /// Returns the name of the method in use, such as "buffered" or "uring"; empty if no file is open.
  [[nodiscard]] std::string_view method() noexcept { return buffer_.method(); }
  /// Returns what happened so far, as filebuf::statistics() does. Needs <freshet/statistics.hpp>.
  template <typename Statistics = file_statistics>
  [[nodiscard]] Statistics statistics() const {
    return buffer_.template statistics<Statistics>();
  }
  /// Returns the checksum of all bytes that were written, as filebuf::checksum() does.
  [[nodiscard]] freshet::checksum checksum() const noexcept { return buffer_.checksum(); }
  /// Returns the file's descriptor (HANDLE), or no_native_handle if no file is open.
  [[nodiscard]] native_handle_type native_handle() const noexcept { return buffer_.native_handle(); }

 protected:
  /// Makes a closed stream.
  file_stream() : Standard{nullptr} { this->std::ios::rdbuf(&buffer_); }
  /// Takes over the open file and the state of `other`, which is closed afterwards.
  file_stream(file_stream&& other) noexcept
      : Standard{static_cast<Standard&&>(other)}, buffer_{std::move(other.buffer_)} {
    this->set_rdbuf(&buffer_);
  }
  /// Closes this stream's file, ignoring errors, then takes over the file and the state of `other`.
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

  /// Calls filebuf::open() with `arguments`. Clears the state on success and sets failbit on failure.
  template <typename... Arguments>
  void open_file(const Arguments&... arguments) {
    if (buffer_.open(arguments...) != nullptr)
      this->clear();
    else
      this->setstate(std::ios_base::failbit);
  }

  /// The open file with its put and get areas.
  filebuf buffer_;
};

/// The base of freshet's streams that write. If the compiler knows the stream's own type, characters, strings and
/// numbers are written directly into its buffer; through a std::ostream& they are written as the standard does it. The
/// result is the same, byte for byte.
template <typename Standard>
class writing_stream : public file_stream<Standard> {
 public:
  /// Closes the file, ignoring errors.
  ~writing_stream() override { detail::locale_watch::stop(*this); }

  /// Returns the offset of the next byte to write, in bytes from the file's start; -1 after a failure. Does not write
  /// or wait. The first call may make a system call to find out the kind of file.
  [[nodiscard]] typename Standard::pos_type tellp() {
    return detail::insertion::is_plain(*this, this->buffer_) ? typename Standard::pos_type{this->buffer_.tell()}
                                                             : Standard::tellp();
  }

  /// Preallocates disk space for a file of `bytes` bytes without changing its size; close() frees what was not used.
  /// Sets failbit if there is not enough space. Does nothing if the file system cannot preallocate.
  void reserve(std::uint64_t bytes) {
    if (!this->buffer_.reserve(bytes)) this->setstate(std::ios_base::failbit);
  }

  /// Writes `character`, as std::ostream::put() does.
  [[gnu::always_inline]] writing_stream& put(char character) {
    if (!detail::insertion::is_plain(*this, this->buffer_) || !detail::insertion::put(this->buffer_, character))
        [[unlikely]]
      Standard::put(character);
    return *this;
  }
  /// Writes `length` characters, as std::ostream::write() does.
  [[gnu::always_inline]] writing_stream& write(const char* from, std::streamsize length) {
    if (!detail::insertion::is_plain(*this, this->buffer_) ||
        !detail::insertion::put(this->buffer_, std::string_view{from, static_cast<std::size_t>(length)})) [[unlikely]]
      Standard::write(from, length);
    return *this;
  }

  /// Writes `value`, a number, a character or a string, as std::ostream does. Applies only to integers other than
  /// characters and `bool`, `float`, `double`, `char`, C strings and std::string_view; the standard's overloads handle
  /// all other types, including those that convert to one of these.
  template <detail::inserted_by_value T>
  [[gnu::always_inline]] friend writing_stream& operator<<(writing_stream& out, T value) {
    if (!out.try_insert(value)) [[unlikely]]
      static_cast<Standard&>(out) << value;
    return out;
  }
  /// Writes `text` as std::ostream does.
  template <typename Allocator>
  [[gnu::always_inline]] friend writing_stream& operator<<(
      writing_stream& out, const std::basic_string<char, std::char_traits<char>, Allocator>& text) {
    return out << std::string_view{text};
  }

 protected:
  /// Makes a closed stream.
  writing_stream() { watch_.start(*this); }
  /// Takes over the open file and the state of `other`, which is closed afterwards.
  writing_stream(writing_stream&& other) noexcept : file_stream<Standard>{static_cast<file_stream<Standard>&&>(other)} {
    watch_after_move(other);
  }
  /// Closes this stream's file, ignoring errors, then takes over the file and the state of `other`.
  writing_stream& operator=(writing_stream&& other) noexcept {
    file_stream<Standard>::operator=(static_cast<file_stream<Standard>&&>(other));
    watch_after_move(other);
    return *this;
  }
  /// Exchanges files and states.
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

/// The base of freshet's streams that read; `Base` is a file_stream. If the compiler knows the stream's own type,
/// get(), peek() and read() take characters that are in memory directly from its buffer; through a std::istream&, and
/// with standard libraries that do not let a derived class set gcount(), they are read as the standard does it. The
/// results are the same.
template <typename Base>
class reading_stream : public Base {
 public:
  using Base::get;
  using typename Base::int_type;
  using typename Base::traits_type;

  /// Takes and returns the next character, as std::istream::get() does.
  [[gnu::always_inline]] int_type get() {
    const char* const next = take(1);
    if (next == nullptr) [[unlikely]]
      return Base::get();
    return traits_type::to_int_type(*next);
  }
  /// Takes the next character, as std::istream::get() does.
  [[gnu::always_inline]] reading_stream& get(char& into) {
    const char* const next = take(1);
    if (next == nullptr) [[unlikely]]
      Base::get(into);
    else
      into = *next;
    return *this;
  }
  /// Returns the next character without taking it, as std::istream::peek() does.
  [[gnu::always_inline]] int_type peek() {
    const char* const next = show(1);
    if (next == nullptr) [[unlikely]]
      return Base::peek();
    set_count(*this, 0);
    return traits_type::to_int_type(*next);
  }
  /// Takes `length` characters, as std::istream::read() does.
  [[gnu::always_inline]] reading_stream& read(char* into, std::streamsize length) {
    const char* const next = take(length);
    if (next == nullptr) [[unlikely]]
      Base::read(into, length);
    else if (length > 0)  // memcpy must not be called with a null pointer
      std::memcpy(into, next, static_cast<std::size_t>(length));
    return *this;
  }

 protected:
  /// Makes a closed stream.
  reading_stream() = default;
  /// Takes over the open file and the state of `other`, which is closed afterwards.
  reading_stream(reading_stream&& other) noexcept : Base{static_cast<Base&&>(other)} {}
  /// Closes this stream's file, ignoring errors, then takes over the file and the state of `other`.
  reading_stream& operator=(reading_stream&& other) noexcept {
    Base::operator=(static_cast<Base&&>(other));
    return *this;
  }

 private:
  // libstdc++ keeps in this protected member what gcount() returns.
  template <typename Self>
  static constexpr bool can_set_count() {
    return requires(Self & stream) { stream._M_gcount; };
  }
  template <typename Self>
  [[gnu::always_inline]] static void set_count(Self& stream, std::streamsize count) {
    if constexpr (can_set_count<Self>()) stream._M_gcount = count;
  }

  [[nodiscard, gnu::always_inline]] const char* show(std::streamsize length) {
    if constexpr (can_set_count<reading_stream>())
      if (detail::extraction::is_plain(*this, this->buffer_)) [[likely]]
        return detail::extraction::next(this->buffer_, length);
    return nullptr;
  }
  [[nodiscard, gnu::always_inline]] const char* take(std::streamsize length) {
    const char* const next = show(length);
    if (next == nullptr) [[unlikely]]
      return nullptr;
    detail::extraction::take(this->buffer_, length);
    set_count(*this, length);
    return next;
  }
};

/// std::ofstream with freshet's methods.
class ofstream : public writing_stream<std::ostream> {
 public:
  /// Makes a closed stream.
  ofstream() = default;
  /// Opens the file `name` as open() does.
  explicit ofstream(const char* name, std::ios_base::openmode mode = out, const writer_options& options = {}) {
    open(name, mode, options);
  }
  /// Opens the file `name` as open() does.
  explicit ofstream(const std::string& name, std::ios_base::openmode mode = out, const writer_options& options = {}) {
    open(name, mode, options);
  }
  /// Opens the file `name` as open() does.
  template <std::same_as<std::filesystem::path> Path>
  explicit ofstream(const Path& name, std::ios_base::openmode mode = out, const writer_options& options = {}) {
    open(name, mode, options);
  }
  /// Opens the file `name` as open() does.
  ofstream(const path_argument& name, const writer_options& options) { open(name, options); }
  /// Takes over the open file and the state of `other`, which is closed afterwards.
  ofstream(ofstream&& other) noexcept : writing_stream{std::move(other)} {}
  /// Closes this stream's file, ignoring errors, then takes over the file and the state of `other`.
  ofstream& operator=(ofstream&& other) noexcept {
    writing_stream::operator=(std::move(other));
    return *this;
  }
  /// Exchanges files and states.
  void swap(ofstream& other) noexcept { writing_stream::swap(other); }
  /// Exchanges files and states.
  friend void swap(ofstream& one, ofstream& other) noexcept { one.swap(other); }

  /// Opens the file `name` for writing. Sets failbit if that fails or a file is already open.
  /// @param name     the file's path
  /// @param mode     one of std::ofstream's open modes; `out` is added to it. Default: `out`
  /// @param options  how to write the file; their `mode` does not apply. Default: as in the profile
  void open(const char* name, std::ios_base::openmode mode = out, const writer_options& options = {}) {
    open_file(name, mode | out, options);
  }
  /// Opens the file `name` for writing. Sets failbit if that fails or a file is already open.
  void open(const std::string& name, std::ios_base::openmode mode = out, const writer_options& options = {}) {
    open_file(name, mode | out, options);
  }
  /// Opens the file `name` for writing. Sets failbit if that fails or a file is already open.
  template <std::same_as<std::filesystem::path> Path>
  void open(const Path& name, std::ios_base::openmode mode = out, const writer_options& options = {}) {
    open_file(name, mode | out, options);
  }
  /// Opens the file `name` for writing as `options` say, including their `mode`. Sets failbit if that fails or a file
  /// is already open.
  void open(const path_argument& name, const writer_options& options) { open_file(name, options); }
};

/// std::ifstream with freshet's methods.
class ifstream : public reading_stream<file_stream<std::istream>> {
 public:
  /// Makes a closed stream.
  ifstream() = default;
  /// Opens the file `name` as open() does.
  explicit ifstream(const char* name, std::ios_base::openmode mode = in, const reader_options& options = {}) {
    open(name, mode, options);
  }
  /// Opens the file `name` as open() does.
  explicit ifstream(const std::string& name, std::ios_base::openmode mode = in, const reader_options& options = {}) {
    open(name, mode, options);
  }
  /// Opens the file `name` as open() does.
  template <std::same_as<std::filesystem::path> Path>
  explicit ifstream(const Path& name, std::ios_base::openmode mode = in, const reader_options& options = {}) {
    open(name, mode, options);
  }
  /// Opens the file `name` as open() does.
  ifstream(const path_argument& name, const reader_options& options) { open(name, options); }
  /// Takes over the open file and the state of `other`, which is closed afterwards.
  ifstream(ifstream&& other) noexcept : reading_stream{std::move(other)} {}
  /// Closes this stream's file, ignoring errors, then takes over the file and the state of `other`.
  ifstream& operator=(ifstream&& other) noexcept {
    reading_stream::operator=(std::move(other));
    return *this;
  }
  /// Exchanges files and states.
  void swap(ifstream& other) noexcept { file_stream::swap(other); }
  /// Exchanges files and states.
  friend void swap(ifstream& one, ifstream& other) noexcept { one.swap(other); }

  /// Opens the file `name` for reading. Sets failbit if that fails or a file is already open.
  /// @param name     the file's path
  /// @param mode     one of std::ifstream's open modes; `in` is added to it. Default: `in`
  /// @param options  how to read the file. Default: as in the profile
  void open(const char* name, std::ios_base::openmode mode = in, const reader_options& options = {}) {
    open_file(name, mode | in, writer_options{}, options);
  }
  /// Opens the file `name` for reading. Sets failbit if that fails or a file is already open.
  void open(const std::string& name, std::ios_base::openmode mode = in, const reader_options& options = {}) {
    open_file(name, mode | in, writer_options{}, options);
  }
  /// Opens the file `name` for reading. Sets failbit if that fails or a file is already open.
  template <std::same_as<std::filesystem::path> Path>
  void open(const Path& name, std::ios_base::openmode mode = in, const reader_options& options = {}) {
    open_file(name, mode | in, writer_options{}, options);
  }
  /// Opens the file `name` for reading as `options` say. Sets failbit if that fails or a file is already open.
  void open(const path_argument& name, const reader_options& options) {
    open_file(name, in, writer_options{}, options);
  }
};

/// std::fstream with freshet's methods. A file that is both read and written uses the method "buffered".
class fstream : public reading_stream<writing_stream<std::iostream>> {
 public:
  /// Makes a closed stream.
  fstream() = default;
  /// Opens the file `name` as open() does.
  explicit fstream(const char* name, std::ios_base::openmode mode = in | out, const writer_options& options = {}) {
    open(name, mode, options);
  }
  /// Opens the file `name` as open() does.
  explicit fstream(const std::string& name, std::ios_base::openmode mode = in | out,
                   const writer_options& options = {}) {
    open(name, mode, options);
  }
  /// Opens the file `name` as open() does.
  template <std::same_as<std::filesystem::path> Path>
  explicit fstream(const Path& name, std::ios_base::openmode mode = in | out, const writer_options& options = {}) {
    open(name, mode, options);
  }
  /// Takes over the open file and the state of `other`, which is closed afterwards.
  fstream(fstream&& other) noexcept : reading_stream{std::move(other)} {}
  /// Closes this stream's file, ignoring errors, then takes over the file and the state of `other`.
  fstream& operator=(fstream&& other) noexcept {
    reading_stream::operator=(std::move(other));
    return *this;
  }
  /// Exchanges files and states.
  void swap(fstream& other) noexcept { writing_stream::swap(other); }
  /// Exchanges files and states.
  friend void swap(fstream& one, fstream& other) noexcept { one.swap(other); }

  /// Opens the file `name` for reading and writing. Sets failbit if that fails or a file is already open.
  /// @param name     the file's path
  /// @param mode     one of std::fstream's open modes. Default: `in | out`
  /// @param options  how to write the file; their `mode` does not apply. Default: as in the profile
  void open(const char* name, std::ios_base::openmode mode = in | out, const writer_options& options = {}) {
    open_file(name, mode, options);
  }
  /// Opens the file `name` for reading and writing. Sets failbit if that fails or a file is already open.
  void open(const std::string& name, std::ios_base::openmode mode = in | out, const writer_options& options = {}) {
    open_file(name, mode, options);
  }
  /// Opens the file `name` for reading and writing. Sets failbit if that fails or a file is already open.
  template <std::same_as<std::filesystem::path> Path>
  void open(const Path& name, std::ios_base::openmode mode = in | out, const writer_options& options = {}) {
    open_file(name, mode, options);
  }
};

}  // namespace freshet
