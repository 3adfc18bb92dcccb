/// @file
/// freshet::lines, a file's lines as a range, for a range-based `for` and for std::views.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <limits>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include <freshet/error.hpp>
#include <freshet/path_argument.hpp>
#include <freshet/reader.hpp>

namespace freshet {

/// Options of lines.
struct line_options {
  /// The largest length of a line in bytes, without its "\n"; a longer line is an error. A line uses at most twice this
  /// memory. Default: 16 MiB.
  std::size_t longest = std::size_t{16} << 20;
};

/// An iterator at a line that may not have been read yet; see lines.
class line_iterator {
 public:
  using iterator_concept = std::input_iterator_tag;  ///< it cannot go back
  using value_type = std::string_view;               ///< a line
  using difference_type = std::ptrdiff_t;            ///< required of every iterator

  /// Makes an iterator at the next line of `in`. Lines may have at most `longest` bytes.
  line_iterator(reader& in, std::size_t longest) noexcept
      : in_{&in}, longest_{std::min(longest, std::numeric_limits<std::size_t>::max() - 1)} {}

  /// Returns the line without its end. Precondition: there is a line.
  [[nodiscard, gnu::always_inline]] std::string_view operator*() const {
    ensure_read();
    return line_;
  }
  /// Moves to the next line, even if this one was not read.
  [[gnu::always_inline]] line_iterator& operator++() {
    ensure_read();
    state_ = state::unread;
    return *this;
  }
  /// Moves to the next line, even if this one was not read.
  [[gnu::always_inline]] void operator++(int) { ++*this; }
  /// Returns whether there are no more lines.
  [[nodiscard, gnu::always_inline]] bool operator==(std::default_sentinel_t) const {
    ensure_read();
    return state_ == state::ended;
  }

 private:
  enum class state : unsigned char { unread, ready, ended };

  [[gnu::always_inline]] void ensure_read() const {
    if (state_ == state::unread) state_ = read_next() ? state::ready : state::ended;
  }

  // Makes `line_` the next line. Returns false if there is none.
  [[gnu::always_inline]] bool read_next() const {
    const auto buffered = text(in_->available());
    if (buffered.empty()) return false;
    const auto* const end = static_cast<const char*>(std::memchr(buffered.data(), '\n', buffered.size()));
    if (end == nullptr || static_cast<std::size_t>(end - buffered.data()) > longest_) [[unlikely]] {
      read_across();
    } else {
      line_ = {buffered.data(), static_cast<std::size_t>(end - buffered.data())};
      in_->advance(line_.size() + 1);
      drop_return();
    }
    return true;
  }

  // Reads a line that continues in the next block, ends with the file, or is too long.
  [[gnu::always_inline]] void read_across() const {
    line_ = text(in_->view_through(std::byte{'\n'}, longest_ + 1));
    if (line_.ends_with('\n')) {
      line_.remove_suffix(1);
      drop_return();
    } else if (line_.size() > longest_) {
      reject_line();
    }
  }

  [[noreturn, gnu::cold, gnu::always_inline]] void reject_line() const {
    in_->reject(std::errc::message_size, in_->tell() - line_.size(), detail::explain_long_line(longest_));
  }

  [[gnu::always_inline]] void drop_return() const noexcept {
    if (line_.ends_with('\r')) line_.remove_suffix(1);
  }

  [[gnu::always_inline]] static std::string_view text(std::span<const std::byte> bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  // Some members are mutable because comparing and dereferencing are const but may have to read the line.
  reader* in_;
  std::size_t longest_;
  mutable state state_ = state::unread;
  mutable std::string_view line_;
};

/// The lines from a reader's position to the end of its file: a view and a std::ranges::input_range of
/// std::string_view. `for (const auto line : freshet::lines{"file"})` reads a file, `freshet::lines{in}` goes on with
/// the reader `in`.
///
/// A line ends with "\n" or "\r\n", which are not part of it. Data after the last line end is also a line. All other
/// bytes belong to the line, including NUL and "\r" without "\n".
///
/// A line is read when the iterator is compared with the end or dereferenced, not before. After leaving a loop early,
/// or after std::views::take, the reader is therefore positioned directly after the last line that was read, and any of
/// its functions, or lines, can continue there. A line is valid until the next one is read or the reader is used in
/// another way. It is copied only if it crosses from one block to the next.
///
/// Reading a line throws what reader::available() throws, and a freshet::error with the line's offset if the line is
/// too long (errc::message_size); the reader's position is then somewhere in that line.
/// @tparam Source  reader, or reader* for one that the range does not own; deduced from the constructor's argument
template <typename Source>
class lines : public std::ranges::view_base {
 public:
  /// Makes the range of the lines that follow in `in`, which must live as long as the range.
  explicit lines(reader& in, const line_options& options = {}) noexcept requires std::is_pointer_v<Source>
      : source_{&in}, longest_{options.longest} {}
  /// Makes the range of the lines that follow in `in`, which the range then owns.
  explicit lines(reader&& in, const line_options& options = {}) noexcept requires(!std::is_pointer_v<Source>)
      : source_{std::move(in)}, longest_{options.longest} {}
  /// Makes the range of the lines of the file `path`.
  /// @throws freshet::error  if the file cannot be opened
  [[gnu::always_inline]] explicit lines(const path_argument& path,
                                        const line_options& options = {}) requires(!std::is_pointer_v<Source>)
      : lines{reader{path}, options} {}

  /// Returns an iterator at the next line that has not been read. Earlier lines are not accessible again.
  [[nodiscard]] line_iterator begin() noexcept {
    if constexpr (std::is_pointer_v<Source>) {
      return {*source_, longest_};
    } else {
      return {source_, longest_};
    }
  }
  /// Returns the sentinel for the end of the file.
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

 private:
  Source source_;
  std::size_t longest_;
};

/// @cond
lines(reader&)->lines<reader*>;
lines(reader&, const line_options&)->lines<reader*>;
lines(reader&&)->lines<reader>;
lines(reader&&, const line_options&)->lines<reader>;
lines(const path_argument&)->lines<reader>;
lines(const path_argument&, const line_options&)->lines<reader>;
/// @endcond

}  // namespace freshet
