// All that `freshet tune` finds out: a race for each class, what keeping order costs, and whether the disk
// slowed down meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tool/search/racing.hpp"

namespace freshet::tool {

struct tune_setup {
  std::vector<trial_plan> seeds;          ///< for writing: an ordered plan for each method, with its good block
  std::vector<trial_plan> reading_seeds;  ///< for reading: a plan for each method, with its good block
  std::set<std::string> past_cache;       ///< methods that go past the page cache
  std::set<std::string> asynchronous;     ///< methods that have more in flight when order is given up
  std::vector<io_class> classes;
  std::uint64_t size = 0;   ///< bytes per file
  double seconds = 0;       ///< for everything
  std::uint64_t bytes = 0;  ///< to be written at most, in all; and to be read at most
  std::uint64_t seed = 1;
};

/// What was found for one class.
struct class_result {
  verdict found;
  std::vector<candidate> field;
  race_end end = race_end::settled;
};

/// How the speed of the same work changed from the first third of all bytes to the last.
struct slowdown {
  double share = 0;         ///< of its speed that the disk lost; negative: it got faster
  double significance = 1;  ///< the chance of as clear a change where there is none
  [[nodiscard]] bool noticed() const noexcept { return share > 0.1 && significance < 0.05; }
};

struct tuning {
  std::vector<class_result> classes;
  std::vector<trial_result> warm_up;  ///< ranked nowhere: the first that writes, and the first that reads
  /// The best asynchronous plan of the first class that has one, then the same without order; empty where none was
  /// measured.
  std::vector<candidate> order_costs;
  /// The simplest page cache method on memory at rest, then on memory just freed; empty where it was not measured.
  std::vector<candidate> memory;
  slowdown slowed;
  std::uint64_t bytes_written = 0;
  double seconds = 0;
};

/// A trial's speed after so many bytes had been written in all.
struct sustained {
  trial_plan plan;
  double bytes_before = 0;
  double bytes_per_second = 0;  ///< to disk
};

/// Compares each plan's trials with one another only, so that it does not matter which plans were tried when.
[[nodiscard]] slowdown slowdown_of(std::span<const sustained> trials);

/// Finds the best plan for each class in turn. Each gets a part of what is left of time and bytes, and starts from the
/// blocks that were best in the class of its kind before. Those of writing get equal parts; one of reading gets half as
/// much time, and writes no more than the one file that all of them read.
[[nodiscard]] tuning tune(const tune_setup& setup, const trial_source& on);

}  // namespace freshet::tool
