/// @file
/// freshet::print(), which formats with fmt directly into the block of a writer or a stream. A program that includes
/// this header must link fmt 9 or later (CMake target fmt::fmt).
#pragma once

#include <fmt/format.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

namespace freshet {

namespace detail {

/// A format string that fmt checks at compile time. If all its fields are "{}", it is also split at compile time and
/// need not be parsed at run time.
template <typename... Arguments>
class format_pieces {
 public:
  template <std::convertible_to<std::string_view> Text>
  consteval format_pieces(const Text& text) : text_{text} {     // NOLINT(google-explicit-constructor)
    static_cast<void>(fmt::format_string<Arguments...>{text});  // checks it at compile time
    std::size_t fields = 0;
    for (std::size_t at = text_.find_first_of("{}"); at != std::string_view::npos; at = text_.find_first_of("{}", at)) {
      is_plain_ = is_plain_ && text_.substr(at, 2) == "{}" && fields < ends_.size();
      if (!is_plain_) return;
      ends_[fields++] = at;
      at += 2;
    }
    is_plain_ = fields == ends_.size();
  }

  /// Returns whether all fields are "{}", one for each argument.
  [[nodiscard]] constexpr bool is_plain() const { return is_plain_; }
  /// Returns the text before field `index`, or after the last field. Precondition: is_plain().
  [[nodiscard]] constexpr std::string_view before(std::size_t index) const {
    const std::size_t begin = index == 0 ? 0 : ends_[index - 1] + 2;
    return text_.substr(begin, index < ends_.size() ? ends_[index] - begin : std::string_view::npos);
  }
  [[nodiscard]] constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
  std::array<std::size_t, sizeof...(Arguments)> ends_{};
  bool is_plain_ = true;
};

// The operations that both kinds of target, writers and streams, have in common.
inline void put_text(writer& out, std::string_view text) { out.write(text); }
inline std::span<char> room_in(writer& out) {
  const auto room = out.room();
  return {reinterpret_cast<char*>(room.data()), room.size()};
}
inline void advance_in(writer& out, std::size_t length) { out.advance(length); }

template <typename Standard>
void put_text(writing_stream<Standard>& out, std::string_view text) {
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
}
template <typename Standard>
std::span<char> room_in(writing_stream<Standard>& out) {
  filebuf& buffer = *out.rdbuf();
  if (!insertion::is_plain(out, buffer)) return {};
  return {insertion::cursor(buffer), insertion::limit(buffer)};
}
template <typename Standard>
void advance_in(writing_stream<Standard>& out, std::size_t length) {
  insertion::advance(*out.rdbuf(), length);
}

template <typename Out>
concept print_target = requires(Out& out) {
  put_text(out, std::string_view{});
};

// These functions write at the front of `room` and remove the used part from it; they return false if there is not
// enough room. They are inline so that the compiler knows the lengths of the format's pieces.
[[gnu::always_inline]] inline bool format_into(std::span<char>& room, std::string_view text) {
  if (text.size() > room.size()) return false;
  if (!text.empty()) std::memcpy(room.data(), text.data(), text.size());
  room = room.subspan(text.size());
  return true;
}

inline bool vformat_into(std::span<char>& room, std::string_view format, fmt::format_args arguments) {
  const std::size_t length = fmt::vformat_to_n(room.data(), room.size(), format, arguments).size;
  if (length > room.size()) return false;
  room = room.subspan(length);
  return true;
}

template <inserted_integer Integer>
bool to_chars_into(std::span<char>& room, Integer value) {
  char* const end = write_decimal(room.data(), room.data() + room.size(), value);
  if (end != nullptr) room = room.subspan(static_cast<std::size_t>(end - room.data()));
  return end != nullptr;
}

template <typename Argument>
[[gnu::always_inline]] inline bool format_argument_into(std::span<char>& room, const Argument& argument) {
  if constexpr (one_of<Argument, std::string, std::string_view> || one_of<std::decay_t<Argument>, char*, const char*>)
    return format_into(room, std::string_view{argument});
  else if constexpr (inserted_integer<Argument>)
    return to_chars_into(room, argument);
  else
    return vformat_into(room, "{}", fmt::make_format_args(argument));
}

template <typename... Arguments>
[[gnu::always_inline]] inline bool format_all_into(std::span<char>& room, const format_pieces<Arguments...>& format,
                                                   const std::remove_reference_t<Arguments>&... arguments) {
  if (!format.is_plain()) return vformat_into(room, format.text(), fmt::make_format_args(arguments...));
  std::size_t index = 0;
  return ((format_into(room, format.before(index++)) && format_argument_into(room, arguments)) && ...) &&
         format_into(room, format.before(index));
}

/// Formats text that does not fit into the rest of a block.
template <typename Out>
[[gnu::cold]] void print_across(Out& out, std::string_view format, fmt::format_args arguments) {
  fmt::memory_buffer text;
  fmt::vformat_to(fmt::appender(text), format, arguments);
  put_text(out, {text.data(), text.size()});
}

}  // namespace detail

/// Writes `arguments` as fmt formats them, directly into the block of a writer or a stream. At the end of a block,
/// arguments may be formatted twice.
/// @param out        a freshet::writer, ofstream or fstream
/// @param format     fmt's format string; one whose fields are all "{}" is parsed at compile time
/// @param arguments  the values
/// @throws fmt::format_error, and everything that the writer or the stream throws
template <typename Out, typename... Arguments>
requires detail::print_target<Out>
[[gnu::always_inline]] inline void print(Out& out, std::type_identity_t<detail::format_pieces<Arguments...>> format,
                                         Arguments&&... arguments) {
  const std::span<char> room = detail::room_in(out);
  auto rest = room;
  if (detail::format_all_into(rest, format, arguments...)) [[likely]]
    return detail::advance_in(out, room.size() - rest.size());
  detail::print_across(out, format.text(), fmt::make_format_args(arguments...));
}

}  // namespace freshet
