#include "src/each_line/helpers.hpp"

#include <tbb/flow_graph.h>
#include <tbb/info.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include "src/os/thread.hpp"

namespace freshet::detail {
namespace {

// All helpers of the process: runs at the same time share what one of them could have.
constinit std::atomic<unsigned> running{0};

bool take_place(unsigned most) noexcept {
  unsigned now = running.load();
  while (now < most)
    if (running.compare_exchange_weak(now, now + 1)) return true;
  return false;
}

}  // namespace

class line_helpers::helper {
 public:
  // Throws what a system does that has no more threads.
  explicit helper(tbb::task_arena& arena) {
    stay_.reserve_wait();
    try {
      thread_ = os::start_thread([this, &arena] { help(arena); });
    } catch (...) {
      leave();
      throw;
    }
  }
  helper(const helper&) = delete;
  helper& operator=(const helper&) = delete;
  ~helper() { thread_.join(); }

  void leave() { stay_.release_wait(); }

 private:
  void help(tbb::task_arena& arena) noexcept {
    try {
      arena.execute([this] { stay_.wait_for_all(); });
    } catch (const std::exception&) {  // no memory even to begin: others do the work
    }
  }

  tbb::flow::graph stay_;  // has no nodes: who waits for it does the arena's work meanwhile
  std::thread thread_;
};

line_helpers::line_helpers(tbb::task_arena& arena, unsigned most) {
  // As for the arena: where oneTBB has no memory for this, it cannot be used afterwards.
  const auto usual = static_cast<unsigned>(std::max(tbb::info::default_concurrency() - 1, 0));
  try {
    helpers_.reserve(most);
    arena.execute([&] {
      while (helpers_.size() < most && take_place(std::max(most, usual))) {
        try {
          helpers_.push_back(std::make_unique<helper>(arena));
        } catch (...) {
          --running;
          throw;
        }
      }
    });
  } catch (const std::exception&) {  // fewer will do, and so will none
  }
}

line_helpers::~line_helpers() {
  for (const auto& each : helpers_) each->leave();
  running -= static_cast<unsigned>(helpers_.size());
  helpers_.clear();
}

}  // namespace freshet::detail
