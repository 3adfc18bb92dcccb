// Peers side by side: built, checked and measured in turn; the failure of one does not stop the others.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/peers/building.hpp"
#include "lab/peers/rows.hpp"
#include "tool/trial/series.hpp"

namespace freshet::tool {

/// One run of all peers. A peer that fails has the reason in its row; the others go on.
class peer_contest {
 public:
  /// Called before each step with what it does and the seconds that all remaining steps will take; negative: unknown.
  using progress_listener = std::function<void(std::string_view step, double seconds_left)>;
  /// Called after each trial.
  using trial_listener = std::function<void(const peer_trial& trial)>;

  /// Precondition: the arguments outlive the contest.
  peer_contest(peer_catalogue& catalogue, peer_builder& builder, peer_runner& runner, progress_listener show)
      : catalogue_{catalogue},
        builder_{builder},
        runner_{runner},
        show_{std::move(show)},
        programs_(catalogue.rows.size()) {}

  /// Builds the peers whose rows are active. @throws freshet::error  for a failure that is not a peer's; interrupted
  void build();
  /// Has each peer write a file once, and compares it. @throws as build()
  void check();
  /// Counts each peer's system calls. @throws as build()
  void count_system_calls();
  /// Runs the trials of `order`, whose plans are indices of rows, and hands each to `keep`. @throws as build()
  void measure(const std::vector<scheduled_trial>& order, const trial_listener& keep);

 private:
  void build(std::size_t first);
  void run_trial(const scheduled_trial& next, const trial_listener& keep);
  template <typename Work>
  static void note_failure(peer_row& row, const std::string& doing, Work work);

  peer_catalogue& catalogue_;
  peer_builder& builder_;
  peer_runner& runner_;
  progress_listener show_;
  std::vector<peer_program> programs_;  // one for each row, filled by build()
};

/// Leaves out the rows whose toolchain is missing, and says in them what is missing. @throws interrupted
void leave_out_unbuildable(peer_catalogue& catalogue, toolchains& tools);

}  // namespace freshet::tool
