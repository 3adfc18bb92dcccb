#include "tool/measure/rate_curve.hpp"

#include <stdexcept>
#include <utility>

namespace freshet::tool {
namespace {

constexpr double first_step = 0x1p-10;  // seconds; a power of two, so that doubling it stays exact
constexpr double longest_step = 1e9;    // seconds, more than any trial takes

}  // namespace

void rate_curve::begin() {
  if (step_ != 0) return;
  step_ = first_step;
  bytes_.reserve(most);
}

void rate_curve::double_step() noexcept {
  step_ *= 2;
  for (std::size_t at = 0; at < bytes_.size(); ++at) {
    const std::uint64_t moved = std::exchange(bytes_[at], 0);
    bytes_[at / 2] += moved;
  }
  bytes_.resize((bytes_.size() + 1) / 2);
}

void rate_curve::add(double seconds, std::uint64_t bytes) {
  begin();
  while (seconds / step_ >= static_cast<double>(most)) double_step();
  const auto at = static_cast<std::size_t>(seconds / step_);
  if (at >= bytes_.size()) bytes_.resize(at + 1);
  bytes_[at] += bytes;
}

// The steps must not be shorter than the other's, or there would be gaps between its bytes.
void rate_curve::add(const rate_curve& other) {
  if (other.step_ == 0) return;
  begin();
  while (step_ < other.step_) double_step();
  for (std::size_t at = 0; at < other.bytes_.size(); ++at)
    add((static_cast<double>(at) + 0.5) * other.step_, other.bytes_[at]);
}

rate_curve rate_curve::of(double step, std::vector<std::uint64_t> bytes) {
  const bool is_possible = bytes.size() <= most && (bytes.empty() ? step == 0 : step > 0 && step <= longest_step);
  if (!is_possible) throw std::invalid_argument{"no rate over time"};
  rate_curve curve;
  curve.step_ = step;
  curve.bytes_ = std::move(bytes);
  return curve;
}

}  // namespace freshet::tool
