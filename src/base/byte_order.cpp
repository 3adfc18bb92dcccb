// Reverses the bytes of arrays of numbers with the widest shuffle instruction that the processor has.
#include <freshet/detail/byte_order.hpp>

#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace freshet::detail {
namespace {

#if defined(__x86_64__)

// For each of sixteen bytes, the index of the byte that replaces it.
struct alignas(16) shuffle_order {
  std::uint8_t from[16];
};

constexpr shuffle_order order_for(unsigned width) noexcept {
  shuffle_order order{};
  for (unsigned i = 0; i < 16; ++i)
    order.from[i] = static_cast<std::uint8_t>(i / width * width + width - 1 - i % width);
  return order;
}

constexpr shuffle_order orders[] = {order_for(2), order_for(4), order_for(8)};

__m128i order_of(std::size_t width) noexcept {
  return _mm_load_si128(reinterpret_cast<const __m128i*>(orders[std::countr_zero(width) - 1].from));
}

[[gnu::target("avx2")]] std::size_t turn_by_avx2(std::byte* into, std::span<const std::byte> from,
                                                 std::size_t width) noexcept {
  const __m256i order = _mm256_broadcastsi128_si256(order_of(width));
  std::size_t done = 0;
  for (; done + 32 <= from.size(); done += 32) {
    const __m256i values = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from.data() + done));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(into + done), _mm256_shuffle_epi8(values, order));
  }
  return done;
}

[[gnu::target("ssse3")]] std::size_t turn_by_ssse3(std::byte* into, std::span<const std::byte> from,
                                                   std::size_t width) noexcept {
  const __m128i order = order_of(width);
  std::size_t done = 0;
  for (; done + 16 <= from.size(); done += 16) {
    const __m128i values = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from.data() + done));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(into + done), _mm_shuffle_epi8(values, order));
  }
  return done;
}

// Whether the system keeps the registers of AVX when it changes threads.
[[gnu::target("xsave")]] bool keeps_wide_registers() noexcept {
  constexpr std::uint64_t state = 6;  // of SSE and AVX
  return (static_cast<std::uint64_t>(_xgetbv(0)) & state) == state;
}

// Asks the processor itself: the compiler's own function (__builtin_cpu_supports) is not in every compiler's library.
shuffle detect_shuffle() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return shuffle::none;
  constexpr unsigned avx = bit_OSXSAVE | bit_AVX;
  const shuffle narrow = (c & bit_SSSE3) != 0 ? shuffle::ssse3 : shuffle::none;
  if ((c & avx) != avx || !keeps_wide_registers() || __get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return narrow;
  return (b & bit_AVX2) != 0 ? shuffle::avx2 : narrow;
}

// Returns how many bytes were reversed: all but a few at the end, or none.
std::size_t turn_by(shuffle by, std::byte* into, std::span<const std::byte> from, std::size_t width) noexcept {
  if (by == shuffle::avx2) return turn_by_avx2(into, from, width);
  if (by == shuffle::ssse3) return turn_by_ssse3(into, from, width);
  return 0;
}

#else

shuffle detect_shuffle() noexcept { return shuffle::none; }
std::size_t turn_by(shuffle, std::byte*, std::span<const std::byte>, std::size_t) noexcept { return 0; }

#endif

template <typename Word>
void turn_each(std::byte* into, std::span<const std::byte> from) noexcept {
  for (std::size_t at = 0; at < from.size(); at += sizeof(Word)) {
    Word value = 0;
    std::memcpy(&value, from.data() + at, sizeof(Word));
    value = turned(value);
    std::memcpy(into + at, &value, sizeof(Word));
  }
}

}  // namespace

shuffle widest_shuffle() noexcept {
  static const shuffle widest = detect_shuffle();
  return widest;
}

void copy_turned(std::byte* into, std::span<const std::byte> from, std::size_t width, shuffle by) noexcept {
  const std::size_t done = turn_by(by, into, from, width);
  const auto rest = from.subspan(done);
  if (width == 8) return turn_each<std::uint64_t>(into + done, rest);
  if (width == 4) return turn_each<std::uint32_t>(into + done, rest);
  turn_each<std::uint16_t>(into + done, rest);
}

}  // namespace freshet::detail
