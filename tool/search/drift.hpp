// Whether it mattered when a trial was made: the first of its kind, late in the run, or late in its round.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace freshet::tool {

/// What one trial of many took.
struct timed {
  std::size_t kind = 0;   ///< trials of one kind repeat one another, and are compared with one another only; from 0 on
  unsigned position = 0;  ///< within its round
  double seconds = 0;
};

/// How much the time at which trials were made cost them.
struct order_effect {
  double slower = 0;  ///< the share by which they took longer; negative: shorter
  double significance =
      1;  ///< the chance of as clear an effect where there is none, corrected for all that were tested
  /// Whether it is no chance, and larger than what counts as a tie.
  [[nodiscard]] bool noticed() const noexcept;
};

struct order_effects {
  order_effect first;     ///< the first trial of each kind, against its others
  order_effect drift;     ///< the last third of all trials against the first; where first trials differ, without them
  order_effect position;  ///< trials in the later half of their round, against those in the earlier
};

/// Tests for the three. Kinds with a single trial say nothing. Precondition: `trials` are in the order in which they
/// were made, and no seconds are zero or negative.
[[nodiscard]] order_effects find_order_effects(std::span<const timed> trials);

/// A sentence for each that was noticed: "the first trials of each plan were 12 % slower (p = 0.01)".
[[nodiscard]] std::vector<std::string> in_words(const order_effects& found);

}  // namespace freshet::tool
