// How many bytes were moved when, within one trial, in little memory.
#pragma once

#include <cstdint>
#include <vector>

namespace freshet::tool {

/// Bytes in steps of equal time. When the steps run out, neighbours are joined and the step doubles, so that there are
/// never more than `most`.
class rate_curve {
 public:
  static constexpr std::size_t most = 128;

  /// `bytes` were moved `seconds` after the start. Only the first call asks for memory.
  void add(double seconds, std::uint64_t bytes);
  /// Adds the other's bytes to the steps that they were moved in.
  void add(const rate_curve& other);

  /// Seconds of each step; 0 where nothing was added.
  [[nodiscard]] double step() const noexcept { return step_; }
  /// Bytes moved in each step, from the start on.
  [[nodiscard]] const std::vector<std::uint64_t>& bytes() const noexcept { return bytes_; }
  /// Makes it of what step() and bytes() gave. @throws std::invalid_argument  where they cannot have
  [[nodiscard]] static rate_curve of(double step, std::vector<std::uint64_t> bytes);

  friend bool operator==(const rate_curve&, const rate_curve&) = default;

 private:
  void begin();
  void double_step() noexcept;

  double step_ = 0;
  std::vector<std::uint64_t> bytes_;
};

}  // namespace freshet::tool
