// Writes values to a stream of a known type: directly into its buffer's put area if the standard would write the same
// characters, otherwise with the standard's functions; not for programs.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <ios>
#include <ostream>
#include <string>
#include <string_view>

#include <freshet/filebuf.hpp>

namespace freshet::detail {

template <typename T, typename... Candidates>
concept one_of = (std::same_as<T, Candidates> || ...);

// Exactly these types. The standard's overloads decide whether and how all other types are written.
template <typename T>
concept inserted_integer =
    one_of<T, short, unsigned short, int, unsigned, long, unsigned long, long long, unsigned long long>;
template <typename T>
concept inserted_number = inserted_integer<T> || one_of<T, float, double>;
template <typename T>
concept inserted_by_value = inserted_number<T> || one_of<T, char, const char*, char*, std::string_view>;

/// Knows whether a stream's locale is the classic one, for which numbers are written as std::to_chars writes them.
/// Asking the stream each time would cost more than writing the number.
class FRESHET_API locale_watch {
 public:
  locale_watch() = default;
  locale_watch(const locale_watch&) = delete;
  locale_watch& operator=(const locale_watch&) = delete;

  /// Watches `stream` from now on, also after a move or swap. Call stop() before this object is destroyed.
  void start(std::ios_base& stream) noexcept;
  static void stop(std::ios_base& stream) noexcept;

  /// Watches `stream` again if copyfmt() has ended that.
  void resume(std::ios_base& stream) noexcept;

  [[nodiscard]] bool is_classic() const noexcept { return is_classic_; }

 private:
  static void on_event(std::ios_base::event event, std::ios_base& stream, int at);

  bool is_classic_ = false;
};

/// Writes `value` as std::to_chars does. Returns the end of the digits; null if there is not enough room. These are in
/// the library because std::to_chars has a table that would keep a plugin with it in memory for ever (STB_GNU_UNIQUE).
[[nodiscard]] FRESHET_API char* write_decimal(char* begin, char* limit, int value) noexcept;
[[nodiscard]] FRESHET_API char* write_decimal(char* begin, char* limit, unsigned value) noexcept;
[[nodiscard]] FRESHET_API char* write_decimal(char* begin, char* limit, long value) noexcept;
[[nodiscard]] FRESHET_API char* write_decimal(char* begin, char* limit, unsigned long value) noexcept;
[[nodiscard]] FRESHET_API char* write_decimal(char* begin, char* limit, long long value) noexcept;
[[nodiscard]] FRESHET_API char* write_decimal(char* begin, char* limit, unsigned long long value) noexcept;

/// Writes `value` as a stream with these flags, this precision and the classic locale does. Returns the end of the
/// characters; null if there is not enough room, or if the stream has to write it.
[[nodiscard]] FRESHET_API char* write_floating(char* begin, char* limit, float value, std::ios_base::fmtflags flags,
                                               std::streamsize precision) noexcept;
[[nodiscard]] FRESHET_API char* write_floating(char* begin, char* limit, double value, std::ios_base::fmtflags flags,
                                               std::streamsize precision) noexcept;

/// The fast paths. Each returns false and changes nothing if the standard's function must be used.
struct insertion {
  /// Returns whether inserting only means storing characters: nothing to flush before or after, and no error state.
  [[nodiscard, gnu::always_inline]] static bool is_plain(const std::ios& stream, const std::streambuf& own) {
    return stream.rdstate() == std::ios_base::goodbit && stream.tie() == nullptr && stream.rdbuf() == &own &&
           (stream.flags() & std::ios_base::unitbuf) == 0;
  }
  /// Returns whether inserting is plain and has no width to fill.
  [[nodiscard, gnu::always_inline]] static bool is_formatless(const std::ios& stream, const std::streambuf& own) {
    return stream.width() == 0 && is_plain(stream, own);
  }

  [[gnu::always_inline]] static bool put(filebuf& into, char character) {
    if (into.pptr() == into.epptr()) [[unlikely]]
      return false;
    *into.pptr() = character;
    into.pbump(1);
    return true;
  }

  [[gnu::always_inline]] static bool put(filebuf& into, std::string_view text) {
    if (static_cast<std::size_t>(into.epptr() - into.pptr()) < text.size()) [[unlikely]]
      return false;
    // memcpy must not be called with an empty view's null pointer.
    if (!text.empty()) std::memcpy(into.pptr(), text.data(), text.size());
    into.pbump(static_cast<int>(text.size()));
    return true;
  }

  [[gnu::always_inline]] static bool put(filebuf& into, const char* text) {
    return text != nullptr && put(into, std::string_view{text});
  }

  [[nodiscard]] static char* cursor(const filebuf& in) { return in.pptr(); }
  [[nodiscard]] static char* limit(const filebuf& in) { return in.epptr(); }
  static void advance(filebuf& in, std::size_t length) { in.pbump(static_cast<int>(length)); }

  template <inserted_integer Integer>
  static bool put_number(filebuf& into, Integer value, const std::ios& format) {
    constexpr auto decisive = std::ios_base::basefield | std::ios_base::showpos;
    if ((format.flags() & decisive) != std::ios_base::dec) return false;
    return advance_to(into, write_decimal(into.pptr(), into.epptr(), value));
  }

  template <std::floating_point Float>
  static bool put_number(filebuf& into, Float value, const std::ios& format) {
    return advance_to(into, write_floating(into.pptr(), into.epptr(), value, format.flags(), format.precision()));
  }

 private:
  static bool advance_to(filebuf& into, const char* end) {
    if (end == nullptr) [[unlikely]]
      return false;
    into.pbump(static_cast<int>(end - into.pptr()));
    return true;
  }
};

}  // namespace freshet::detail
