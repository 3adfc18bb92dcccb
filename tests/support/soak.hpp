// Seeded samples for tests that would take too long with all cases.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace freshet::test {

/// Whether tests run completely: ./soak sets FRESHET_TEST_COMPLETE.
[[nodiscard]] inline bool is_complete() {
  const char* const wanted = std::getenv("FRESHET_TEST_COMPLETE");
  return wanted != nullptr && *wanted != '\0';
}

/// `complete` if tests run completely, otherwise `some`.
[[nodiscard]] inline std::size_t sample_size(std::size_t complete, std::size_t some) {
  return is_complete() ? complete : std::min(complete, some);
}

/// The seed of all samples of this process: FRESHET_TEST_SEED, or a new one each time. Printed when it is first used.
[[nodiscard]] inline std::uint64_t sample_seed() {
  static const std::uint64_t seed = [] {
    const char* const wanted = std::getenv("FRESHET_TEST_SEED");
    const std::uint64_t chosen = wanted != nullptr && *wanted != '\0' ? std::stoull(wanted) : std::random_device{}();
    std::cout << "[ sample   ] FRESHET_TEST_SEED=" << chosen << '\n';
    return chosen;
  }();
  return seed;
}

/// 1, 2 … `last`.
[[nodiscard]] inline std::vector<std::uint64_t> numbers_to(std::uint64_t last) {
  std::vector<std::uint64_t> all(last);
  std::iota(all.begin(), all.end(), 1);
  return all;
}

/// All if tests run completely, otherwise `count` of them, chosen by sample_seed(), in their order.
template <typename Value>
[[nodiscard]] std::vector<Value> sample(const std::vector<Value>& all, std::size_t count) {
  if (is_complete() || all.size() <= count) return all;
  static std::mt19937_64 random{sample_seed()};
  std::vector<Value> chosen;
  std::ranges::sample(all, std::back_inserter(chosen), static_cast<std::ptrdiff_t>(count), random);
  return chosen;
}

}  // namespace freshet::test
