/// @file
/// Binary formats on freshet::writer and freshet::reader: single numbers and arrays in a chosen byte order,
/// variable-length integers, and strings preceded by their length. Single numbers on streams, too, which can seek.
///
/// The byte order is a template argument where the format says it, or an argument where the file says it, as a TIFF's
/// first two bytes do: `write<std::endian::big>(out, value)`, `write(out, value, order)`.
///
/// Little-endian files are compatible with .NET's `BinaryWriter` and `BinaryReader` in their default encoding, UTF-8:
/// Boolean is `bool`, Int32 is `std::int32_t` (and so on), Single and Double are `float` and `double`, and String is
/// write_string(). `Write7BitEncodedInt(64)` corresponds to write_varint() of the same value as an *unsigned* integer.
/// An ASCII Char is one `char`; other Chars are their UTF-8 bytes. Decimal has no counterpart.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iosfwd>
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

/// A type with the same size in a file as in memory: `bool`, characters, integers of up to 64 bits, enumerations,
/// `float` and `double`.
template <typename T>
concept fixed_width = sizeof(T) <= 8 && !std::is_same_v<T, long double> &&
                      (std::is_arithmetic_v<T> || std::is_enum_v<T>);

/// A contiguous range of such values: std::vector, std::array, std::span, …, but not std::vector<bool>.
template <typename Values>
concept fixed_width_array = std::ranges::contiguous_range<Values> && std::ranges::sized_range<Values> &&
    fixed_width<std::ranges::range_value_t<Values>>;

/// An integer type that write_varint() takes.
template <typename T>
concept varint = std::integral<T> && sizeof(T) <= 8 && !std::is_same_v<T, bool>;

/// The largest length of a string in bytes, which is .NET's limit.
inline constexpr std::size_t longest_string = 0x7FFF'FFFF;

// ---------------------------------------------------------------------------------------------------------- in memory

/// Stores `value` in `into` in byte order `Order`.
template <std::endian Order, fixed_width T>
[[gnu::always_inline]] inline void store(T value, std::span<std::byte, sizeof(T)> into) noexcept {
  auto bits = std::bit_cast<detail::word<sizeof(T)>>(value);
  if constexpr (Order != std::endian::native) bits = detail::turned(bits);
  std::memcpy(into.data(), &bits, sizeof(T));
}

/// Returns the value stored in `from` in byte order `Order`. For `bool`, and enumerations over it, every byte except 0
/// is true.
template <std::endian Order, fixed_width T>
[[nodiscard, gnu::always_inline]] inline T load(std::span<const std::byte, sizeof(T)> from) noexcept {
  detail::word<sizeof(T)> bits = 0;
  std::memcpy(&bits, from.data(), sizeof(T));
  if constexpr (detail::is_boolean<T>) return static_cast<T>(bits != 0);
  if constexpr (Order != std::endian::native) bits = detail::turned(bits);
  return std::bit_cast<T>(bits);
}

/// Stores `value` in `into` in byte order `order`.
template <fixed_width T>
[[gnu::always_inline]] inline void store(T value, std::span<std::byte, sizeof(T)> into, std::endian order) noexcept {
  order == std::endian::little ? store<std::endian::little>(value, into) : store<std::endian::big>(value, into);
}

/// Returns the value stored in `from` in byte order `order`, like the function above.
template <fixed_width T>
[[nodiscard, gnu::always_inline]] inline T load(std::span<const std::byte, sizeof(T)> from,
                                                std::endian order) noexcept {
  return order == std::endian::little ? load<std::endian::little, T>(from) : load<std::endian::big, T>(from);
}

// ------------------------------------------------------------------------------------------------------------ writing

/// Appends `value` in byte order `Order`.
/// @throws freshet::error  like writer::write()
template <std::endian Order, fixed_width T>
[[gnu::always_inline]] inline void write(writer& out, T value) {
  std::array<std::byte, sizeof(T)> bytes{};
  store<Order>(value, bytes);
  out.write(bytes);
}

/// Appends `value` in byte order `order`.
/// @throws freshet::error  like writer::write()
template <fixed_width T>
[[gnu::always_inline]] inline void write(writer& out, T value, std::endian order) {
  std::array<std::byte, sizeof(T)> bytes{};
  store(value, bytes, order);
  out.write(bytes);
}

/// Appends all `values` in byte order `Order`, without their count.
/// @throws freshet::error  like writer::write()
template <std::endian Order, fixed_width_array Values>
[[gnu::always_inline]] inline void write_array(writer& out, const Values& values) {
  using value = std::ranges::range_value_t<Values>;
  std::span<const value> left{values};
  if constexpr (!detail::is_turned<Order, sizeof(value)>) return out.write(std::as_bytes(left));
  while (!left.empty()) {
    const auto room = out.room();
    if (room.empty()) [[unlikely]]
      return;  // an error, without exceptions
    const auto piece = left.first(std::min(room.size() / sizeof(value), left.size()));
    detail::copy_turned(room.data(), std::as_bytes(piece), sizeof(value));
    out.advance(piece.size_bytes());
    left = left.subspan(piece.size());
    if (!piece.empty()) continue;
    write<Order>(out, left.front());  // across the end of a block
    left = left.subspan(1);
  }
}

/// Appends all `values` in byte order `order`, without their count.
/// @throws freshet::error  like writer::write()
template <fixed_width_array Values>
[[gnu::always_inline]] inline void write_array(writer& out, const Values& values, std::endian order) {
  order == std::endian::little ? write_array<std::endian::little>(out, values)
                               : write_array<std::endian::big>(out, values);
}

/// Appends `value` in as few bytes as possible: as unsigned LEB128, or as signed LEB128 if T is signed.
/// @throws freshet::error  like writer::write()
template <varint T>
[[gnu::always_inline]] inline void write_varint(writer& out, T value) {
  detail::put_varint(out, value);
}

/// Appends the number of bytes in `text` as a varint, then the bytes. .NET can read it as a String if it is UTF-8.
/// @throws freshet::error  like writer::write(); and, before anything is written, if `text` is longer than
///                         longest_string (errc::message_size)
[[gnu::always_inline]] inline void write_string(writer& out, std::string_view text) {
  if (text.size() > longest_string) [[unlikely]]
    return detail::calls::refuse_string(out.tell());
  write_varint(out, static_cast<std::uint32_t>(text.size()));
  out.write(text);
}

// ------------------------------------------------------------------------------------------------------------ reading

namespace detail {

/// Makes `into` the next value. Returns false after an error, without exceptions.
template <std::endian Order, fixed_width T>
[[nodiscard, gnu::always_inline]] inline bool read_value(reader& in, T& into) {
  const auto bytes = in.view(sizeof(T));
  if (bytes.size() < sizeof(T)) [[unlikely]]
    return report_cut_off(in, bytes.size()), false;
  into = load<Order, T>(bytes.template first<sizeof(T)>());
  return true;
}

}  // namespace detail

// The error for a value that is malformed or cut off by the end of the file has the offset where the value begins. The
// reader stays usable at the position it had reached.

/// Takes and returns the next value, which is in byte order `Order`. Check enumerations: they may have any value of
/// their underlying type.
/// @throws freshet::error  like reader::view(); and if the file ends too early (errc::bad_message)
template <std::endian Order, fixed_width T>
[[nodiscard, gnu::always_inline]] inline T read(reader& in) {
  T value{};
  static_cast<void>(detail::read_value<Order>(in, value));
  return value;
}

/// Takes and returns the next value, which is in byte order `order`, like the function above.
/// @throws freshet::error  like reader::view(); and if the file ends too early (errc::bad_message)
template <fixed_width T>
[[nodiscard, gnu::always_inline]] inline T read(reader& in, std::endian order) {
  const auto bytes = in.view(sizeof(T));
  if (bytes.size() < sizeof(T)) [[unlikely]]
    return detail::report_cut_off(in, bytes.size()), T{};
  return load<T>(bytes.template first<sizeof(T)>(), order);
}

/// Fills all `values`, which are in byte order `Order`.
/// @throws freshet::error  like reader::read(); and if the file ends too early (errc::bad_message)
template <std::endian Order, fixed_width_array Values>
[[gnu::always_inline]] inline void read_array(reader& in, Values&& values) {
  using value = std::ranges::range_value_t<Values>;
  std::span<value> left{values};
  if constexpr (detail::is_boolean<value>) {
    for (value& each : left)
      if (!detail::read_value<Order>(in, each)) [[unlikely]]
        return;
  } else if constexpr (!detail::is_turned<Order, sizeof(value)>) {
    const std::size_t length = in.read(std::as_writable_bytes(left));
    if (length < left.size_bytes()) [[unlikely]]
      detail::report_cut_off(in, length % sizeof(value));
  } else {
    while (!left.empty()) {
      const auto buffered = in.available();
      const auto piece = std::as_writable_bytes(left.first(std::min(buffered.size() / sizeof(value), left.size())));
      detail::copy_turned(piece.data(), buffered.first(piece.size()), sizeof(value));
      in.skip(piece.size());
      left = left.subspan(piece.size() / sizeof(value));
      if (!piece.empty()) continue;
      if (!detail::read_value<Order>(in, left.front())) [[unlikely]]  // across the end of a block, or of the file
        return;
      left = left.subspan(1);
    }
  }
}

/// Fills all `values`, which are in byte order `order`.
/// @throws freshet::error  like reader::read(); and if the file ends too early (errc::bad_message)
template <fixed_width_array Values>
[[gnu::always_inline]] inline void read_array(reader& in, Values&& values, std::endian order) {
  order == std::endian::little ? read_array<std::endian::little>(in, values) : read_array<std::endian::big>(in, values);
}

/// Takes and returns an integer that write_varint() wrote. Accepts encodings that are longer than necessary, up to 10
/// bytes, if the value fits into T.
/// @throws freshet::error  like reader::get(); and if the file ends too early or T is too small (errc::bad_message)
template <varint T>
[[nodiscard, gnu::always_inline]] inline T read_varint(reader& in) {
  return detail::get_varint<T>(in).value;
}

/// Takes and returns a string that write_string() or .NET wrote. Copies it only if it crosses from one block to the
/// next. It is valid until the reader's next call. It is not checked for valid UTF-8. Even if the length in the file is
/// wrong, the reader uses at most twice the memory of the bytes that exist.
/// @param in       the reader, at the string's length
/// @param longest  the largest accepted length in bytes. Default: longest_string
/// @throws freshet::error  like reader::view(); if the string is longer than `longest` (errc::message_size); and if its
///                         length is malformed or the file ends too early (errc::bad_message)
[[nodiscard, gnu::always_inline]] inline std::string_view view_string(reader& in,
                                                                      std::size_t longest = longest_string) {
  const auto length = detail::get_varint<std::uint32_t>(in);
  if (length.value > longest) [[unlikely]]
    return detail::malformed_content::report(in, std::errc::message_size, length.length,
                                             "a string is longer than allowed"),
           std::string_view{};
  const auto bytes = in.view(length.value);
  if (bytes.size() < length.value) [[unlikely]]
    return detail::report_cut_off(in, length.length + bytes.size()), std::string_view{};
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
/// Like view_string(), but returns a copy.
[[nodiscard, gnu::always_inline]] inline std::string read_string(reader& in, std::size_t longest = longest_string) {
  return std::string{view_string(in, longest)};
}

// ---------------------------------------------------------------------------------------------- without an exception

/// Like write(), but sets `failure` instead of throwing.
template <std::endian Order, fixed_width T>
void write(writer& out, T value, std::error_code& failure) noexcept {
  detail::to_error_code(failure, [&] { write<Order>(out, value); });
}
/// Like write_array(), but sets `failure` instead of throwing.
template <std::endian Order, fixed_width_array Values>
void write_array(writer& out, const Values& values, std::error_code& failure) noexcept {
  detail::to_error_code(failure, [&] { write_array<Order>(out, values); });
}
/// Like write_varint(), but sets `failure` instead of throwing.
template <varint T>
void write_varint(writer& out, T value, std::error_code& failure) noexcept {
  detail::to_error_code(failure, [&] { write_varint(out, value); });
}
/// Like write_string(), but sets `failure` instead of throwing.
inline void write_string(writer& out, std::string_view text, std::error_code& failure) noexcept {
  detail::to_error_code(failure, [&] { write_string(out, text); });
}
/// Like read(), but sets `failure` instead of throwing and then returns T{}.
template <std::endian Order, fixed_width T>
[[nodiscard]] T read(reader& in, std::error_code& failure) noexcept {
  return detail::to_error_code(failure, [&] { return read<Order, T>(in); });
}
/// Like read_array(), but sets `failure` instead of throwing.
template <std::endian Order, fixed_width_array Values>
void read_array(reader& in, Values&& values, std::error_code& failure) noexcept {
  detail::to_error_code(failure, [&] { read_array<Order>(in, values); });
}
/// Like read_varint(), but sets `failure` instead of throwing and then returns 0.
template <varint T>
[[nodiscard]] T read_varint(reader& in, std::error_code& failure) noexcept {
  return detail::to_error_code(failure, [&] { return read_varint<T>(in); });
}
/// Like view_string(), but sets `failure` instead of throwing and then returns an empty string.
[[nodiscard]] inline std::string_view view_string(reader& in, std::size_t longest, std::error_code& failure) noexcept {
  return detail::to_error_code(failure, [&] { return view_string(in, longest); });
}
/// Like read_string(), but sets `failure` instead of throwing and then returns an empty string.
[[nodiscard]] inline std::string read_string(reader& in, std::size_t longest, std::error_code& failure) noexcept {
  return detail::to_error_code(failure, [&] { return read_string(in, longest); });
}

// --------------------------------------------------------------------------------------------------------- on streams
//
// For formats that need a position: a length at the beginning that is known only at the end.

/// Writes `value` at the stream's position in byte order `order`: to a freshet::ofstream or fstream, or one of std's.
/// @param out    the stream; what fails sets its state, and throws if its exceptions() say so
/// @param value  the value
/// @param order  the byte order
template <fixed_width T, std::derived_from<std::ostream> Stream>
void write(Stream& out, T value, std::endian order) {
  std::array<char, sizeof(T)> bytes{};
  store(value, std::as_writable_bytes(std::span{bytes}), order);
  out.write(bytes.data(), sizeof(T));
}
/// Writes `value` at the stream's position in byte order `Order`.
template <std::endian Order, fixed_width T, std::derived_from<std::ostream> Stream>
void write(Stream& out, T value) {
  write(out, value, Order);
}
/// Takes and returns the value at the stream's position, which is in byte order `order`.
/// @param in     the stream. Where it ends too early, its state says so (`eofbit` and `failbit`), and T{} is returned
/// @param order  the byte order
template <fixed_width T, std::derived_from<std::istream> Stream>
[[nodiscard]] T read(Stream& in, std::endian order) {
  std::array<char, sizeof(T)> bytes{};
  return in.read(bytes.data(), sizeof(T)) ? load<T>(std::as_bytes(std::span{bytes}), order) : T{};
}
/// Takes and returns the value at the stream's position, which is in byte order `Order`.
template <std::endian Order, fixed_width T, std::derived_from<std::istream> Stream>
[[nodiscard]] T read(Stream& in) {
  return read<T>(in, Order);
}

// ---------------------------------------------------------------------------------------------------- with one order

/// Writes to a freshet::writer in one byte order. `binary_writer<std::endian::big>{out}` holds only the writer's
/// address and costs nothing extra; `binary_writer{out, order}` writes in an order that is chosen while the program
/// runs.
template <std::endian... Order>
class binary_writer : public detail::chosen_order<Order...> {
 public:
  /// Writes to `out`, which must live at least as long, in the order of the template argument.
  explicit binary_writer(writer& out) noexcept requires(sizeof...(Order) == 1) : out_{&out} {}
  /// Writes to `out`, which must live at least as long, in byte order `order`.
  binary_writer(writer& out, std::endian order) noexcept requires(sizeof...(Order) == 0)
      : detail::chosen_order<Order...>{order}, out_{&out} {}
  /// Returns the writer, for everything without a byte order.
  [[nodiscard]] writer& base() const noexcept { return *out_; }

  /// Calls freshet::write().
  template <fixed_width T>
  [[gnu::always_inline]] void write(T value) const {
    freshet::write(*out_, value, this->order());
  }
  /// Calls freshet::write_array().
  template <fixed_width_array Values>
  [[gnu::always_inline]] void write_array(const Values& values) const {
    freshet::write_array(*out_, values, this->order());
  }
  /// Calls freshet::write_varint().
  template <varint T>
  [[gnu::always_inline]] void write_varint(T value) const {
    freshet::write_varint(*out_, value);
  }
  /// Calls freshet::write_string().
  [[gnu::always_inline]] void write_string(std::string_view text) const { freshet::write_string(*out_, text); }

 private:
  writer* out_;
};

/// Reads from a freshet::reader in one byte order: `binary_reader<std::endian::big>{in}`, or `binary_reader{in, order}`
/// where the file says which one.
template <std::endian... Order>
class binary_reader : public detail::chosen_order<Order...> {
 public:
  /// Reads from `in`, which must live at least as long, in the order of the template argument.
  explicit binary_reader(reader& in) noexcept requires(sizeof...(Order) == 1) : in_{&in} {}
  /// Reads from `in`, which must live at least as long, in byte order `order`.
  binary_reader(reader& in, std::endian order) noexcept requires(sizeof...(Order) == 0)
      : detail::chosen_order<Order...>{order}, in_{&in} {}
  /// Returns the reader, for everything without a byte order.
  [[nodiscard]] reader& base() const noexcept { return *in_; }

  /// Calls freshet::read().
  template <fixed_width T>
  [[nodiscard, gnu::always_inline]] T read() const {
    return freshet::read<T>(*in_, this->order());
  }
  /// Calls freshet::read_array().
  template <fixed_width_array Values>
  [[gnu::always_inline]] void read_array(Values&& values) const {
    freshet::read_array(*in_, values, this->order());
  }
  /// Calls freshet::read_varint().
  template <varint T>
  [[nodiscard, gnu::always_inline]] T read_varint() const {
    return freshet::read_varint<T>(*in_);
  }
  /// Calls freshet::view_string().
  [[nodiscard, gnu::always_inline]] std::string_view view_string(std::size_t longest = longest_string) const {
    return freshet::view_string(*in_, longest);
  }
  /// Calls freshet::read_string().
  [[nodiscard, gnu::always_inline]] std::string read_string(std::size_t longest = longest_string) const {
    return freshet::read_string(*in_, longest);
  }

 private:
  reader* in_;
};

}  // namespace freshet
