// Fast random numbers.
#pragma once

#include <cstdint>
#include <limits>

namespace freshet::tool {

/// A bijection after which no pattern of `number` is left.
[[nodiscard]] constexpr std::uint64_t scramble(std::uint64_t number) noexcept {
  number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9U;
  number = (number ^ (number >> 27)) * 0x94D049BB133111EBU;
  return number ^ (number >> 31);
}

/// SplitMix64, a scrambled counter: a std::uniform_random_bit_generator that yields the same numbers everywhere.
class random_words {
 public:
  using result_type = std::uint64_t;

  constexpr explicit random_words(std::uint64_t seed) noexcept : state_{scramble(seed)} {}

  constexpr std::uint64_t operator()() noexcept { return scramble(state_ += 0x9E3779B97F4A7C15U); }
  static constexpr std::uint64_t min() noexcept { return 0; }
  static constexpr std::uint64_t max() noexcept { return std::numeric_limits<std::uint64_t>::max(); }

 private:
  std::uint64_t state_;
};

}  // namespace freshet::tool
