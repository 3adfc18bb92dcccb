// A histogram of the times that calls took.
#pragma once

#include <cstdint>
#include <map>

namespace freshet::tool {

/// Counts calls by their duration. A bucket is an eighth of a power of two wide, so figures are exact to 12.5 %.
class latency_histogram {
 public:
  static constexpr unsigned bucket_count = 496;  ///< for all durations of 64 bits of nanoseconds

  void add(std::uint64_t nanoseconds) { ++counts_[bucket_of(nanoseconds)]; }
  void add(const latency_histogram& other);

  [[nodiscard]] std::uint64_t calls() const noexcept;
  /// The upper end, in nanoseconds, of the bucket up to which the share `p` of all calls lies. Precondition: calls() >
  /// 0 and p lies in [0, 1].
  [[nodiscard]] std::uint64_t quantile(double p) const;

  /// Bucket → calls.
  [[nodiscard]] const std::map<unsigned, std::uint64_t>& buckets() const noexcept { return counts_; }
  /// Adds a bucket that buckets() returned.
  void add_bucket(unsigned bucket, std::uint64_t calls) { counts_[bucket] += calls; }

  [[nodiscard]] static unsigned bucket_of(std::uint64_t nanoseconds) noexcept;
  /// The least nanoseconds that belong to `bucket`. Precondition: bucket < bucket_count.
  [[nodiscard]] static std::uint64_t lower_end(unsigned bucket) noexcept;
  /// The least nanoseconds that belong to the next bucket; for the last bucket, the largest number.
  [[nodiscard]] static std::uint64_t upper_end(unsigned bucket) noexcept;

  friend bool operator==(const latency_histogram&, const latency_histogram&) = default;

 private:
  std::map<unsigned, std::uint64_t> counts_;
};

}  // namespace freshet::tool
