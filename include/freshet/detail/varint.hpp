// Integers in as few bytes as possible (LEB128): seven bits per byte, the lowest first; not for programs.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
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

// These tell of malformed content. Without exceptions they return: their callers then must do so, too.
struct malformed_content {
  /// Tells of the value that began `taken` bytes before the reader's position. @throws freshet::error  always
  [[gnu::cold, gnu::always_inline]] static void report(const reader& in, std::errc why, std::size_t taken,
                                                       std::string_view detail) {
    calls::report_content(in.source_, why, in.tell() - taken, detail);
  }
};

/// Tells of a value that began `taken` bytes before the reader's position and is cut off by the end of the file.
/// @throws freshet::error  always
[[gnu::cold, gnu::always_inline]] inline void report_cut_off(const reader& in, std::size_t taken) {
  malformed_content::report(in, std::errc::bad_message, taken, "the file ends too early");
}

template <std::integral T>
struct decoded_varint {
  T value = 0;
  std::size_t length = 0;  ///< bytes that it took in the file
};

/// The value of the lowest `count` bits; for a signed T the last of them is the sign.
template <std::integral T>
[[nodiscard, gnu::always_inline]] constexpr auto value_of(std::uint64_t bits, unsigned count) noexcept {
  if constexpr (std::is_signed_v<T>) {
    const unsigned unused = count < 64 ? 64 - count : 0;
    return static_cast<std::int64_t>(bits << unused) >> unused;
  } else {
    return bits;
  }
}

/// @throws freshet::error  if the file ends too early, or the value does not fit into a T
template <std::integral T>
[[gnu::always_inline]] inline decoded_varint<T> get_varint(reader& in) {
  constexpr unsigned last_shift = 63;  // of the tenth byte, which has room for one bit, and for copies of a sign
  std::uint64_t bits = 0;
  for (unsigned shift = 0;; shift += 7) {
    const int next = in.get();
    if (next == reader::end_of_file) [[unlikely]]
      return report_cut_off(in, shift / 7), decoded_varint<T>{};
    const std::uint64_t seven = static_cast<unsigned>(next) & ~more_to_come;
    const bool is_last = static_cast<unsigned>(next) < more_to_come;
    bits |= seven << shift;
    if (!is_last && shift < last_shift) continue;
    const bool has_room = shift < last_shift || seven == 0 || seven == (std::is_signed_v<T> ? 0x7F : 1);
    const auto value = value_of<T>(bits, shift + 7);
    if (!is_last || !has_room || static_cast<T>(value) != value) [[unlikely]]
      return malformed_content::report(in, std::errc::bad_message, shift / 7 + 1, "a varint is too large for its type"),
             decoded_varint<T>{};
    return {static_cast<T>(value), shift / 7 + 1};
  }
}

}  // namespace freshet::detail
