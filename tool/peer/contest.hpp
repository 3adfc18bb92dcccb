// Peers side by side: built, checked and measured in turn, whatever becomes of some of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tool/command/run_log.hpp"
#include "tool/peer/building.hpp"
#include "tool/peer/rows.hpp"
#include "tool/trial/grid.hpp"

namespace freshet::tool {

/// One run of all peers. What fails is noted in its row, and the others go on.
class peer_contest {
 public:
  /// Told what is being done, and how long all of it will take from here; negative: unknown.
  using listener = std::function<void(std::string_view doing, double seconds_left)>;

  /// Precondition: all outlive it.
  peer_contest(peer_catalogue& all, peer_builder& builder, peer_runner& stand, listener tell)
      : all_{all}, builder_{builder}, stand_{stand}, tell_{std::move(tell)}, programs_(all.rows.size()) {}

  /// Builds those whose rows go on. @throws freshet::error  for what no peer did; interrupted
  void build();
  /// Has each write once what all can be held against, and counts its system calls. @throws as build()
  void check();
  /// Makes the trials of `order`, whose plans are the places of rows. @throws as build()
  void measure(const std::vector<scheduled_trial>& order, run_log& log);

 private:
  void build(std::size_t first);
  void make_trial(const scheduled_trial& next, run_log& log);
  template <typename Work>
  static void note_failure(peer_row& row, const std::string& doing, Work work);

  peer_catalogue& all_;
  peer_builder& builder_;
  peer_runner& stand_;
  listener tell_;
  std::vector<peer_program> programs_;  // of each row, once it is built
};

/// Says of those rows that lack a toolchain what is missing. @throws interrupted
void leave_out_unbuildable(peer_catalogue& all, toolchains& tools);

}  // namespace freshet::tool
