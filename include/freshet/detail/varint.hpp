// Integers in as few bytes as they need (LEB128): seven bits in each, the lowest first; not for programs.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <system_error>
#include <type_traits>

#include <freshet/reader.hpp>
#include <freshet/writer.hpp>

namespace freshet::detail {

inline constexpr unsigned more_to_come = 0x80;  // set in every byte but the last

template <std::unsigned_integral T>
[[gnu::always_inline]] inline void put_varint(writer& out, T value) {
  for (; value >= more_to_come; value = static_cast<T>(value >> 7)) out.put(static_cast<char>(value | more_to_come));
  out.put(static_cast<char>(value));
}

template <std::signed_integral T>
[[gnu::always_inline]] inline void put_varint(writer& out, T value) {
  // The last byte's bit 6 is the sign.
  for (; value < -64 || value > 63; value = static_cast<T>(value >> 7))
    out.put(static_cast<char>(static_cast<unsigned>(value & 0x7F) | more_to_come));
  out.put(static_cast<char>(value & 0x7F));
}

/// Whether the byte that ends a T at bit `shift` holds nothing that a T has no room for.
template <std::integral T>
[[nodiscard]] constexpr bool fits(unsigned byte, unsigned shift) noexcept {
  const unsigned room = sizeof(T) * 8 - shift;
  if (room >= 7) return true;
  if constexpr (std::is_unsigned_v<T>) return byte >> room == 0;
  const unsigned signs = byte >> (room - 1);  // the sign, and copies of it
  return signs == 0 || signs == 0x7FU >> (room - 1);
}

/// Rejects what begins `taken` bytes before the reader, and is cut off by the end of the file. @throws freshet::error
[[noreturn, gnu::cold, gnu::always_inline]] inline void reject_cut_off(const reader& in, std::size_t taken) {
  in.reject(std::errc::bad_message, in.tell() - taken, "the file ends too early");
}

/// @throws freshet::error  where the file ends too early, and for what does not fit into a T
template <std::integral T>
[[gnu::always_inline]] inline T get_varint(reader& in) {
  using bits = std::make_unsigned_t<T>;
  bits value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const int next = in.get();
    if (next == reader::end_of_file) [[unlikely]]
      reject_cut_off(in, shift / 7);
    const auto byte = static_cast<unsigned>(next);
    const bool last = byte < more_to_come;
    const bool too_long = !last && shift + 7 >= sizeof(T) * 8;
    if (too_long || !fits<T>(byte & 0x7F, shift)) [[unlikely]]
      in.reject(std::errc::bad_message, in.tell() - shift / 7 - 1, "a varint is too large for its type");
    value = static_cast<bits>(value | static_cast<bits>(bits{byte & 0x7F} << shift));
    if (!last) continue;
    // The bits above those that came repeat the sign.
    if (std::is_signed_v<T> && (byte & 0x40) != 0 && shift + 7 < sizeof(T) * 8)
      value = static_cast<bits>(value | static_cast<bits>(~bits{0} << (shift + 7)));
    return static_cast<T>(value);
  }
}

}  // namespace freshet::detail
