#include "tool/measure/block_watch.hpp"

#include <cmath>

#include "src/method/steady_seconds.hpp"

namespace freshet::tool {
namespace {

thread_local block_watch::of_this_thread* watched = nullptr;

}  // namespace

// Passes the blocks of a thread to the watch of that thread.
class block_watch::switchboard final : public detail::block_observer {
 public:
  void moved(double begun, double ended, std::uint64_t bytes) noexcept override {
    if (watched != nullptr) watched->add(begun, ended, bytes);
  }
  static switchboard& instance() {
    static switchboard only;
    return only;
  }
};

block_watch::block_watch()
    : start_{detail::steady_seconds()}, replaced_{detail::observe_blocks(&switchboard::instance())} {}

block_watch::~block_watch() { detail::observe_blocks(replaced_); }

block_watch::of_this_thread::of_this_thread(block_watch& all) : all_{all} {
  curve_.add(0, 0);  // allocates its memory now, because moved() must not fail
  watched = this;
}

block_watch::of_this_thread::~of_this_thread() {
  watched = nullptr;
  if (!seen_) return;
  const std::lock_guard lock{all_.mutex_};
  for (unsigned bucket = 0; bucket < calls_.size(); ++bucket)
    if (calls_[bucket] != 0) all_.latencies_.add_bucket(bucket, calls_[bucket]);
  all_.over_time_.add(curve_);
}

void block_watch::of_this_thread::add(double begun, double ended, std::uint64_t bytes) {
  ++calls_[latency_histogram::bucket_of(static_cast<std::uint64_t>(std::llround((ended - begun) * 1e9)))];
  seen_ = true;
  curve_.add(ended - all_.start_, bytes);
}

latency_histogram block_watch::latencies() const {
  const std::lock_guard lock{mutex_};
  return latencies_;
}

rate_curve block_watch::over_time() const {
  const std::lock_guard lock{mutex_};
  return over_time_;
}

}  // namespace freshet::tool
