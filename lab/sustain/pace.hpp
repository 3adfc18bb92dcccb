// When the pieces of a stream of constant rate are due, and how far its writer is behind.
#pragma once

#include <algorithm>
#include <cstdint>

namespace freshet::tool {

/// How far a writer was behind its schedule: in all, and for other reasons than that it was writing, such as that the
/// processors had other work.
struct lag {
  double seconds = 0;
  double elsewhere = 0;  ///< seconds of these
};

/// The schedule of one writer. All times are seconds after it began.
class pace {
 public:
  /// `rate`: bytes per second; 0: as fast as it can, so that nothing is ever late.
  explicit pace(double rate) noexcept : rate_{rate} {}

  /// When the piece behind so many bytes is due.
  [[nodiscard]] double due(std::uint64_t bytes) const noexcept {
    return rate_ == 0 ? 0 : static_cast<double>(bytes) / rate_;
  }
  /// The writer is on time: it waits until `due` before it writes on.
  void wait_until(double due) noexcept {
    since_ = due;
    writing_ = 0;
  }
  /// A piece was written from `began` to `ended`; with it, there are so many bytes.
  void add(double began, double ended, std::uint64_t bytes) noexcept {
    writing_ += ended - began;
    now_ = rate_ == 0 ? 0 : std::max(0.0, ended - due(bytes));
    if (now_ > worst_.seconds) worst_ = {now_, std::clamp(ended - since_ - writing_, 0.0, now_)};
  }

  /// Seconds that it is behind after the last piece.
  [[nodiscard]] double behind() const noexcept { return now_; }
  [[nodiscard]] const lag& worst() const noexcept { return worst_; }

 private:
  double rate_;
  double since_ = 0;    // when it was on time for the last time
  double writing_ = 0;  // seconds since then
  double now_ = 0;
  lag worst_;
};

}  // namespace freshet::tool
