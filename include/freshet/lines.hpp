/// @file
/// freshet::lines: the lines of a file, one after another, for a range-based `for` and for std::views.
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
#include <freshet/reader.hpp>

namespace freshet {

/// How lines are taken.
struct line_options {
  /// Bytes that a line may have at most, its "\n" not counted; a longer one is an error. No line takes more than twice
  /// this memory. Default: 16 MiB.
  std::size_t longest = std::size_t{16} << 20;
};

/// Stands for a line that may not have been taken yet; see line_range.
class line_iterator {
 public:
  using iterator_concept = std::input_iterator_tag;  ///< there is no way back
  using value_type = std::string_view;               ///< a line
  using difference_type = std::ptrdiff_t;            ///< as every iterator must have one

  /// For the next line of `in`, which has `longest` bytes at most.
  line_iterator(reader& in, std::size_t longest) noexcept
      : in_{&in}, longest_{std::min(longest, std::numeric_limits<std::size_t>::max() - 1)} {}

  /// The line, without its end. Precondition: there is one.
  [[nodiscard, gnu::always_inline]] std::string_view operator*() const {
    settle();
    return line_;
  }
  /// Moves on, past a line that was not looked at, too.
  [[gnu::always_inline]] line_iterator& operator++() {
    settle();
    state_ = state::open;
    return *this;
  }
  /// The same.
  [[gnu::always_inline]] void operator++(int) { ++*this; }
  /// Whether there is no further line.
  [[nodiscard, gnu::always_inline]] bool operator==(std::default_sentinel_t) const {
    settle();
    return state_ == state::ended;
  }

 private:
  enum class state : unsigned char { open, taken, ended };

  [[gnu::always_inline]] void settle() const {
    if (state_ == state::open) state_ = take() ? state::taken : state::ended;
  }

  // Makes `line_` the next line; false when there is none.
  [[gnu::always_inline]] bool take() const {
    const auto here = text(in_->available());
    if (here.empty()) return false;
    const auto* const end = static_cast<const char*>(std::memchr(here.data(), '\n', here.size()));
    if (end == nullptr || static_cast<std::size_t>(end - here.data()) > longest_) [[unlikely]] {
      take_across();
    } else {
      line_ = {here.data(), static_cast<std::size_t>(end - here.data())};
      in_->advance(line_.size() + 1);
      drop_return();
    }
    return true;
  }

  // The same for a line that goes on behind this block, ends with the file, or is too long.
  [[gnu::always_inline]] void take_across() const {
    line_ = text(in_->view_through(std::byte{'\n'}, longest_ + 1));
    if (line_.ends_with('\n')) {
      line_.remove_suffix(1);
      drop_return();
    } else if (line_.size() > longest_) {
      reject_line();
    }
  }

  [[noreturn, gnu::cold]] void reject_line() const {
    in_->reject(std::errc::message_size, in_->tell() - line_.size(),
                "a line is longer than " + std::to_string(longest_) + " bytes");
  }

  [[gnu::always_inline]] void drop_return() const noexcept {
    if (line_.ends_with('\r')) line_.remove_suffix(1);
  }

  [[gnu::always_inline]] static std::string_view text(std::span<const std::byte> bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  // Comparing and dereferencing take the line, and are const.
  reader* in_;
  std::size_t longest_;
  mutable state state_ = state::open;
  mutable std::string_view line_;
};

/// The lines from where a reader stands to the end of its file: a view, and a std::ranges::input_range, of
/// std::string_view. Made by lines().
///
/// A line ends with "\n" or "\r\n", which do not belong to it. What follows the last of these is a line, too, if there
/// is anything. All other bytes are a line's data, NUL and a lone "\r" included.
///
/// A line is taken when it is asked for, not before: when the iterator, moved on, is compared with the end or
/// dereferenced. So after leaving a loop early, or after std::views::take, the reader stands right behind the last line
/// taken, where it may be read from by any of its functions, or by lines() again. A line is valid until the next one is
/// taken or the reader used otherwise: it lies where the reader has it, and is copied only where it crosses from one
/// block to the next.
///
/// Taking a line throws what reader::available() throws, and a freshet::error that names the line's offset when it is
/// too long (errc::message_size): the reader then stands somewhere in that line.
template <typename Source>
class line_range : public std::ranges::view_base {
 public:
  /// For lines(), which see.
  line_range(Source source, const line_options& options) noexcept
      : source_{std::move(source)}, longest_{options.longest} {}

  /// Stands for the next line that nobody has taken; there is no way back to those before.
  [[nodiscard]] line_iterator begin() noexcept {
    if constexpr (std::is_pointer_v<Source>) {
      return {*source_, longest_};
    } else {
      return {source_, longest_};
    }
  }
  /// Where the file ends.
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

 private:
  Source source_;  // a reader, or a pointer to one
  std::size_t longest_;
};

/// The lines of `in` from where it stands to the end of its file; see line_range. `in` must live as long as the range.
[[nodiscard]] inline line_range<reader*> lines(reader& in, const line_options& options = {}) noexcept {
  return {&in, options};
}
/// The same of a reader that the range keeps: `for (const auto line : freshet::lines(freshet::reader{path}))`.
[[nodiscard]] inline line_range<reader> lines(reader&& in, const line_options& options = {}) noexcept {
  return {std::move(in), options};
}

}  // namespace freshet
