/// @file
/// Binary formats over freshet::writer and freshet::reader: numbers in a byte order of choice, alone and in arrays,
/// variable-length integers, and strings that say their length.
///
/// In little-endian order files interchange with .NET's `BinaryWriter` and `BinaryReader`, whose encoding is UTF-8
/// unless they are told another: Boolean is `bool`, Int32 is `std::int32_t` (and so on), Single and Double are `float`
/// and `double`, String is write_string(). What `Write7BitEncodedInt(64)` writes is write_varint() of the same value as
/// an *unsigned* integer. A Char is one `char` where it is ASCII, else its UTF-8 bytes. Decimal has no counterpart.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include <freshet/detail/byte_order.hpp>
#include <freshet/detail/varint.hpp>
#include <freshet/error.hpp>
#include <freshet/reader.hpp>
#include <freshet/writer.hpp>

namespace freshet {

/// What stands in a file in as many bytes as in memory: `bool`, characters, integers of up to 64 bits, enumerations,
/// `float` and `double`.
template <typename T>
concept fixed_width = sizeof(T) <= 8 && !std::is_same_v<T, long double> &&
                      (std::is_arithmetic_v<T> || std::is_enum_v<T>);

/// An array of such values: a vector, std::array, span, …; no vector<bool>, which has no array.
template <typename Values>
concept fixed_width_array = std::ranges::contiguous_range<Values> && std::ranges::sized_range<Values> &&
    fixed_width<std::ranges::range_value_t<Values>>;

/// An integer that can be written in fewer bytes.
template <typename T>
concept varint = std::integral<T> && sizeof(T) <= 8 && !std::is_same_v<T, bool>;

/// Bytes that a string may have at most: those that .NET can count.
inline constexpr std::size_t longest_string = 0x7FFF'FFFF;

// ---------------------------------------------------------------------------------------------------------- in memory

/// Puts `value` into `into`, in `Order`.
template <std::endian Order, fixed_width T>
[[gnu::always_inline]] inline void store(T value, std::span<std::byte, sizeof(T)> into) noexcept {
  auto bits = std::bit_cast<detail::word<sizeof(T)>>(value);
  if constexpr (Order != std::endian::native) bits = detail::turned(bits);
  std::memcpy(into.data(), &bits, sizeof(T));
}

/// Returns the value that stands in `from`, in `Order`. Of a `bool`, every byte but 0 is true.
template <std::endian Order, fixed_width T>
[[nodiscard, gnu::always_inline]] inline T load(std::span<const std::byte, sizeof(T)> from) noexcept {
  detail::word<sizeof(T)> bits = 0;
  std::memcpy(&bits, from.data(), sizeof(T));
  if constexpr (std::is_same_v<T, bool>) return bits != 0;
  if constexpr (Order != std::endian::native) bits = detail::turned(bits);
  return std::bit_cast<T>(bits);
}

// ------------------------------------------------------------------------------------------------------------ writing

/// Appends `value`, in `Order`.
/// @throws freshet::error  as writer::write()
template <std::endian Order, fixed_width T>
[[gnu::always_inline]] inline void write(writer& out, T value) {
  std::array<std::byte, sizeof(T)> bytes{};
  store<Order>(value, bytes);
  out.write(bytes);
}

/// Appends all of `values`, each in `Order`, without their number.
/// @throws freshet::error  as writer::write()
template <std::endian Order, fixed_width_array Values>
[[gnu::always_inline]] inline void write_array(writer& out, const Values& values) {
  using value = std::ranges::range_value_t<Values>;
  std::span<const value> left{values};
  if constexpr (!detail::is_turned<Order, sizeof(value)>) return out.write(std::as_bytes(left));
  while (!left.empty()) {
    const auto room = out.room();
    const auto piece = left.first(std::min(room.size() / sizeof(value), left.size()));
    detail::copy_turned(room.data(), std::as_bytes(piece), sizeof(value));
    out.advance(piece.size_bytes());
    left = left.subspan(piece.size());
    if (!piece.empty()) continue;
    write<Order>(out, left.front());  // across the end of a block
    left = left.subspan(1);
  }
}

/// Appends `value` in as few bytes as it needs: as (unsigned) LEB128, or as signed LEB128 where T is signed.
/// @throws freshet::error  as writer::write()
template <varint T>
[[gnu::always_inline]] inline void write_varint(writer& out, T value) {
  detail::put_varint(out, value);
}

/// Appends the number of bytes in `text`, as a varint, and the bytes, as they are: a string of .NET where they are
/// UTF-8.
/// @throws freshet::error  as writer::write(), and, before anything is written, when there are more than longest_string
///                         (errc::message_size)
[[gnu::always_inline]] inline void write_string(writer& out, std::string_view text) {
  if (text.size() > longest_string) [[unlikely]]
    throw error{std::make_error_code(std::errc::message_size), "write a string", {}, out.tell()};
  write_varint(out, static_cast<std::uint32_t>(text.size()));
  out.write(text);
}

// ------------------------------------------------------------------------------------------------------------ reading
//
// What is found malformed, or cut off by the end of the file, is an error that names the offset where it begins. The
// reader goes on wherever it had come to.

/// Takes the next value, in `Order`. An enumeration may have any value of its underlying type: check it.
/// @throws freshet::error  as reader::view(), and when the file ends before (errc::bad_message)
template <std::endian Order, fixed_width T>
[[nodiscard, gnu::always_inline]] inline T read(reader& in) {
  const auto bytes = in.view(sizeof(T));
  if (bytes.size() < sizeof(T)) [[unlikely]]
    detail::reject_cut_off(in, bytes.size());
  return load<Order, T>(bytes.template first<sizeof(T)>());
}

/// Fills all of `values`, each in `Order`.
/// @throws freshet::error  as reader::read(), and when the file ends before (errc::bad_message)
template <std::endian Order, fixed_width_array Values>
[[gnu::always_inline]] inline void read_array(reader& in, Values&& values) {
  using value = std::ranges::range_value_t<Values>;
  std::span<value> left{values};
  if constexpr (std::is_same_v<value, bool>) {
    for (bool& each : left) each = read<Order, bool>(in);
  } else if constexpr (!detail::is_turned<Order, sizeof(value)>) {
    const std::size_t length = in.read(std::as_writable_bytes(left));
    if (length < left.size_bytes()) [[unlikely]]
      detail::reject_cut_off(in, length % sizeof(value));
  } else {
    while (!left.empty()) {
      const auto here = in.available();
      const auto piece = std::as_writable_bytes(left.first(std::min(here.size() / sizeof(value), left.size())));
      detail::copy_turned(piece.data(), here.first(piece.size()), sizeof(value));
      in.skip(piece.size());
      left = left.subspan(piece.size() / sizeof(value));
      if (!piece.empty()) continue;
      left.front() = read<Order, value>(in);  // across the end of a block, or of the file
      left = left.subspan(1);
    }
  }
}

/// Takes what write_varint() wrote of a T. More bytes than needed are accepted, as long as a T has room for their bits.
/// @throws freshet::error  as reader::get(), and (errc::bad_message) when the file ends before or T is too small
template <varint T>
[[nodiscard, gnu::always_inline]] inline T read_varint(reader& in) {
  return detail::get_varint<T>(in);
}

/// Takes what write_string() or .NET wrote, and returns it where it is: without a copy, unless it crosses from one
/// block to the next. Valid until the reader's next call. Whether it is UTF-8 is not looked at. Whatever length the
/// file claims, no more than twice the memory of what is really there is taken.
/// @param in       where it begins
/// @param longest  bytes that it may have at most
/// @throws freshet::error  as reader::view(), and when it is longer than `longest` (errc::message_size), or its length
/// is
///                         malformed or the file ends before (errc::bad_message)
[[nodiscard, gnu::always_inline]] inline std::string_view view_string(reader& in,
                                                                      std::size_t longest = longest_string) {
  const auto length = read_varint<std::uint32_t>(in);
  if (length > longest) [[unlikely]]
    in.reject(std::errc::message_size, in.tell(), "a string is longer than allowed");
  const auto bytes = in.view(length);
  if (bytes.size() < length) [[unlikely]]
    detail::reject_cut_off(in, bytes.size());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
/// As view_string(), copied.
[[nodiscard]] inline std::string read_string(reader& in, std::size_t longest = longest_string) {
  return std::string{view_string(in, longest)};
}

// ---------------------------------------------------------------------------------------------- without an exception

/// As write(), with an error code.
template <std::endian Order, fixed_width T>
void write(writer& out, T value, std::error_code& failure) noexcept {
  detail::attempt(failure, [&] { write<Order>(out, value); });
}
/// As write_array(), with an error code.
template <std::endian Order, fixed_width_array Values>
void write_array(writer& out, const Values& values, std::error_code& failure) noexcept {
  detail::attempt(failure, [&] { write_array<Order>(out, values); });
}
/// As write_varint(), with an error code.
template <varint T>
void write_varint(writer& out, T value, std::error_code& failure) noexcept {
  detail::attempt(failure, [&] { write_varint(out, value); });
}
/// As write_string(), with an error code.
inline void write_string(writer& out, std::string_view text, std::error_code& failure) noexcept {
  detail::attempt(failure, [&] { write_string(out, text); });
}
/// As read(), with an error code; T{} when it is set.
template <std::endian Order, fixed_width T>
[[nodiscard]] T read(reader& in, std::error_code& failure) noexcept {
  return detail::attempt(failure, [&] { return read<Order, T>(in); });
}
/// As read_array(), with an error code.
template <std::endian Order, fixed_width_array Values>
void read_array(reader& in, Values&& values, std::error_code& failure) noexcept {
  detail::attempt(failure, [&] { read_array<Order>(in, values); });
}
/// As read_varint(), with an error code; 0 when it is set.
template <varint T>
[[nodiscard]] T read_varint(reader& in, std::error_code& failure) noexcept {
  return detail::attempt(failure, [&] { return read_varint<T>(in); });
}
/// As view_string(), with an error code; nothing when it is set.
[[nodiscard]] inline std::string_view view_string(reader& in, std::size_t longest, std::error_code& failure) noexcept {
  return detail::attempt(failure, [&] { return view_string(in, longest); });
}
/// As read_string(), with an error code; nothing when it is set.
[[nodiscard]] inline std::string read_string(reader& in, std::size_t longest, std::error_code& failure) noexcept {
  return detail::attempt(failure, [&] { return read_string(in, longest); });
}

// ----------------------------------------------------------------------------------------------- with a settled order

/// A freshet::writer that is told the byte order once. It holds no more than the writer's address: where that is a
/// local variable, a value costs what it costs by hand.
template <std::endian Order>
class binary_writer {
 public:
  /// Writes to `out`, which must live as long.
  explicit binary_writer(writer& out) noexcept : out_{&out} {}
  /// The writer behind it, for all that has no byte order.
  [[nodiscard]] writer& base() const noexcept { return *out_; }

  /// As freshet::write().
  template <fixed_width T>
  [[gnu::always_inline]] void write(T value) const {
    freshet::write<Order>(*out_, value);
  }
  /// As freshet::write_array().
  template <fixed_width_array Values>
  [[gnu::always_inline]] void write_array(const Values& values) const {
    freshet::write_array<Order>(*out_, values);
  }
  /// As freshet::write_varint().
  template <varint T>
  [[gnu::always_inline]] void write_varint(T value) const {
    freshet::write_varint(*out_, value);
  }
  /// As freshet::write_string().
  [[gnu::always_inline]] void write_string(std::string_view text) const { freshet::write_string(*out_, text); }

 private:
  writer* out_;
};

/// A freshet::reader that is told the byte order once.
template <std::endian Order>
class binary_reader {
 public:
  /// Reads from `in`, which must live as long.
  explicit binary_reader(reader& in) noexcept : in_{&in} {}
  /// The reader behind it, for all that has no byte order.
  [[nodiscard]] reader& base() const noexcept { return *in_; }

  /// As freshet::read().
  template <fixed_width T>
  [[nodiscard, gnu::always_inline]] T read() const {
    return freshet::read<Order, T>(*in_);
  }
  /// As freshet::read_array().
  template <fixed_width_array Values>
  [[gnu::always_inline]] void read_array(Values&& values) const {
    freshet::read_array<Order>(*in_, values);
  }
  /// As freshet::read_varint().
  template <varint T>
  [[nodiscard, gnu::always_inline]] T read_varint() const {
    return freshet::read_varint<T>(*in_);
  }
  /// As freshet::view_string().
  [[nodiscard, gnu::always_inline]] std::string_view view_string(std::size_t longest = longest_string) const {
    return freshet::view_string(*in_, longest);
  }
  /// As freshet::read_string().
  [[nodiscard]] std::string read_string(std::size_t longest = longest_string) const {
    return freshet::read_string(*in_, longest);
  }

 private:
  reader* in_;
};

}  // namespace freshet
