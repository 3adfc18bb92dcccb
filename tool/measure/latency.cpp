#include "tool/measure/latency.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace freshet::tool {
namespace {

constexpr unsigned parts_bits = 3;  // each power of two has eight buckets
constexpr unsigned parts = 1U << parts_bits;
static_assert(latency_histogram::bucket_count == (64 - parts_bits + 1) * parts);

}  // namespace

unsigned latency_histogram::bucket_of(std::uint64_t nanoseconds) noexcept {
  if (nanoseconds < parts) return static_cast<unsigned>(nanoseconds);
  const auto power = static_cast<unsigned>(std::bit_width(nanoseconds)) - 1;
  const auto part = static_cast<unsigned>(nanoseconds >> (power - parts_bits)) & (parts - 1);
  return (power - parts_bits + 1) * parts + part;
}

std::uint64_t latency_histogram::lower_end(unsigned bucket) noexcept {
  if (bucket < parts) return bucket;
  const unsigned power = bucket / parts - 1;
  return static_cast<std::uint64_t>(parts + bucket % parts) << power;
}

std::uint64_t latency_histogram::upper_end(unsigned bucket) noexcept {
  return bucket + 1 < bucket_count ? lower_end(bucket + 1) : std::numeric_limits<std::uint64_t>::max();
}

void latency_histogram::add(const latency_histogram& other) {
  for (const auto& [bucket, calls] : other.counts_) counts_[bucket] += calls;
}

std::uint64_t latency_histogram::calls() const noexcept {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& each) { return sum + each.second; });
}

std::uint64_t latency_histogram::quantile(double p) const {
  const double wanted = std::ceil(p * static_cast<double>(calls()));
  std::uint64_t seen = 0;
  for (const auto& [bucket, calls] : counts_) {
    seen += calls;
    if (static_cast<double>(seen) >= wanted && seen > 0) return upper_end(bucket);
  }
  return 0;
}

}  // namespace freshet::tool
