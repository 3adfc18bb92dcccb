// Whether it mattered when a trial was run: first of its kind, late in the run, or late in its round.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace freshet::tool {

/// The duration of one trial among many.
struct timed_trial {
  std::size_t kind = 0;   ///< from 0; trials of one kind are repetitions, and are compared only with one another
  unsigned position = 0;  ///< within its round
  double seconds = 0;
};

/// How much longer trials took because of when they were run.
struct order_effect {
  double slower = 0;        ///< the share by which they took longer; negative if shorter
  double significance = 1;  ///< the probability of so clear an effect by chance, corrected for the number of tests
  /// Whether it is significant and larger than what counts as a tie.
  [[nodiscard]] bool noticed() const noexcept;
};

struct order_effects {
  order_effect first;     ///< the first trial of each kind, against its others
  order_effect drift;     ///< the last third of all trials against the first; without first trials if those differ
  order_effect position;  ///< trials in the later half of their round, against those in the earlier half
};

/// Tests for the three effects. Kinds with a single trial are ignored. Precondition: `trials` are in the order in which
/// they were run, and all seconds are positive.
[[nodiscard]] order_effects find_order_effects(std::span<const timed_trial> trials);

/// Returns a sentence for each effect that was noticed: "the first trials of each plan were 12 % slower (p = 0.01)".
[[nodiscard]] std::vector<std::string> describe(const order_effects& effects);

}  // namespace freshet::tool
