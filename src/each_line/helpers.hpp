// The threads that transform lines beside the calling one.
#pragma once

#include <tbb/task_arena.h>

#include <memory>
#include <vector>

namespace freshet::detail {

/// Threads that work in an arena as long as this exists.
///
/// oneTBB has threads of its own, but where the system refuses one (a limit of processes, a container's), oneTBB throws
/// in the middle of a run, or ends the program. These are started before the run, and as many as there can be will do.
class line_helpers {
 public:
  /// Starts up to `most` threads. Precondition: `arena` has as many places for threads of the program, and one for the
  /// caller. Throws std::bad_alloc where oneTBB cannot begin.
  line_helpers(tbb::task_arena& arena, unsigned most);
  line_helpers(const line_helpers&) = delete;
  line_helpers& operator=(const line_helpers&) = delete;
  /// Waits until all have ended.
  ~line_helpers();

 private:
  class helper;
  std::vector<std::unique_ptr<helper>> helpers_;
};

}  // namespace freshet::detail
