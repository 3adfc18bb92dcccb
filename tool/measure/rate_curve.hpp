// How many bytes a trial moved when.
#pragma once

#include <cstdint>
#include <vector>

namespace freshet::tool {

/// Bytes in steps of equal time. When there would be more than `most` steps, each two neighbours are joined and the
/// step doubles.
class rate_curve {
 public:
  static constexpr std::size_t most = 128;

  /// Adds `bytes` that were moved `seconds` after the start. Only the first call allocates memory.
  void add(double seconds, std::uint64_t bytes);
  /// Adds the bytes of another curve to the steps in which they were moved.
  void add(const rate_curve& other);

  /// The seconds of each step; 0 if nothing was added.
  [[nodiscard]] double step() const noexcept { return step_; }
  /// The bytes of each step, from the start on.
  [[nodiscard]] const std::vector<std::uint64_t>& bytes() const noexcept { return bytes_; }
  /// The curve with that step() and those bytes(). @throws std::invalid_argument  if no curve can have them
  [[nodiscard]] static rate_curve of(double step, std::vector<std::uint64_t> bytes);

  friend bool operator==(const rate_curve&, const rate_curve&) = default;

 private:
  void begin();
  void double_step() noexcept;

  double step_ = 0;
  std::vector<std::uint64_t> bytes_;
};

}  // namespace freshet::tool
