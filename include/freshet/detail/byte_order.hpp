// Reverses the byte order of values and arrays; not for programs.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <freshet/detail/export.hpp>

namespace freshet::detail {

/// The unsigned integer of `Size` bytes.
template <std::size_t Size>
using word = std::conditional_t<
    Size == 1, std::uint8_t,
    std::conditional_t<Size == 2, std::uint16_t, std::conditional_t<Size == 4, std::uint32_t, std::uint64_t>>>;

/// Whether the bytes of a value of `Size` bytes must be reversed to be in `Order`.
template <std::endian Order, std::size_t Size>
inline constexpr bool is_turned = Order != std::endian::native&& Size > 1;

/// Whether T is `bool`, or an enumeration over it, which hold nothing but 0 and 1.
template <typename T>
inline constexpr bool is_boolean = std::is_same_v<T, bool>;
template <typename T>
requires std::is_enum_v<T>
inline constexpr bool is_boolean<T> = std::is_same_v<std::underlying_type_t<T>, bool>;

/// The byte order of a binary_writer or binary_reader: a constant, or, without an argument, the one it was made with.
template <std::endian... Order>
class chosen_order;
template <std::endian Order>
class chosen_order<Order> {
 public:
  [[nodiscard]] static constexpr std::endian order() noexcept { return Order; }
};
template <>
class chosen_order<> {
 public:
  constexpr explicit chosen_order(std::endian order) noexcept : order_{order} {}
  [[nodiscard]] constexpr std::endian order() const noexcept { return order_; }

 private:
  std::endian order_;
};

/// Returns `value` with its bytes reversed.
template <std::unsigned_integral Word>
[[nodiscard]] constexpr Word turned(Word value) noexcept {
  if constexpr (sizeof(Word) == 8) {
    return __builtin_bswap64(value);
  } else if constexpr (sizeof(Word) == 4) {
    return __builtin_bswap32(value);
  } else if constexpr (sizeof(Word) == 2) {
    return __builtin_bswap16(value);
  } else {
    return value;
  }
}

/// The processor's instructions that reverse several values at once.
enum class shuffle : std::uint8_t { none, ssse3, avx2 };
/// Returns the widest of these that this processor has.
[[nodiscard]] FRESHET_API shuffle widest_shuffle() noexcept;

/// Copies `from` to `into` and reverses the bytes of each value of `width` bytes. Preconditions: `width` is 2, 4 or 8
/// and divides the size of `from`; the two do not overlap; the processor has the instructions `by`.
FRESHET_API void copy_turned(std::byte* into, std::span<const std::byte> from, std::size_t width,
                             shuffle by = widest_shuffle()) noexcept;

}  // namespace freshet::detail
