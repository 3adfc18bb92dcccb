// Integers in as few bytes as possible (LEB128): seven bits per byte, the lowest first; not for programs.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
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

/// Returns whether these seven bits fit into a T at bit `shift`.
template <std::integral T>
[[nodiscard]] constexpr bool fits(std::uint64_t bits, unsigned shift) noexcept {
  const std::size_t room = sizeof(T) * 8 - shift;
  if (room >= 7) return true;
  if constexpr (std::is_unsigned_v<T>) return bits >> room == 0;
  const std::uint64_t signs = bits >> (room - 1);  // the sign and its copies
  return signs == 0 || signs == 0x7FU >> (room - 1);
}

/// Rejects a value that began `taken` bytes before the reader's position and is cut off by the end of the file.
/// @throws freshet::error  always
[[noreturn, gnu::cold, gnu::always_inline]] inline void reject_cut_off(const reader& in, std::size_t taken) {
  in.reject(std::errc::bad_message, in.tell() - taken, "the file ends too early");
}

/// @throws freshet::error  if the file ends too early or the value does not fit into a T
template <std::integral T>
[[gnu::always_inline]] inline T get_varint(reader& in) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const int next = in.get();
    if (next == reader::end_of_file) [[unlikely]]
      reject_cut_off(in, shift / 7);
    const std::uint64_t bits = static_cast<unsigned>(next) & ~more_to_come;
    const bool last = static_cast<unsigned>(next) < more_to_come;
    if (!fits<T>(bits, shift) || (!last && shift + 7 >= sizeof(T) * 8)) [[unlikely]]
      in.reject(std::errc::bad_message, in.tell() - shift / 7 - 1, "a varint is too large for its type");
    value |= bits << shift;
    if (!last) continue;
    const bool is_negative = std::is_signed_v<T> && (bits & 0x40) != 0;
    if (is_negative && shift + 7 < 64) value |= ~std::uint64_t{0} << (shift + 7);
    return static_cast<T>(value);
  }
}

}  // namespace freshet::detail
