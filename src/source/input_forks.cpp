// How an input goes on where others use its descriptor: after a fork, and once the program has asked for it.
#include "src/source/input.hpp"

namespace freshet::detail {

// Reads at offsets leave the descriptor's own position behind.
void input::note_position() noexcept {
  if (!follows_descriptor_ || positioning_ != positioning::own) return;
  read_to_.store(window_.end(), std::memory_order_relaxed);
  if (subscription_) return;
  os::fork_listener& self = *this;
  subscription_.emplace(self);
}

void input::before_fork() noexcept {
  std::error_code ignored;  // what cannot be moved has no position
  const std::uint64_t position = read_to_.load(std::memory_order_relaxed);
  file_.set_position(position, ignored);
  forked_at_.store(position, std::memory_order_relaxed);
}

void input::notice_forks() noexcept {
  if (!follows_descriptor_ || (forks_ == os::fork_count() && !is_to_share_)) return;
  forks_ = os::fork_count();
  // The position is where before_fork() or share_position() left it, or others have read on from there.
  const bool was_watched = subscription_.has_value();
  subscription_.reset();
  if (failure_ || !open_ || positioning_ != positioning::own || !stat_file()) return;
  if (status_->kind != os::file_kind::regular || options_.caching == caching::bypass) return;
  std::error_code error;
  uninterrupted(error, [&] { file_.set_direct(false, error); });
  // Where another thread forked, a block may have been read since.
  const std::uint64_t position = forked_at_.load(std::memory_order_relaxed);
  if (!error && was_watched && !is_to_share_ && position != not_forked && position != window_.end())
    uninterrupted(error, [&] { file_.set_position(window_.end(), error); });
  if (error) return fail("read", error);
  positioning_ = positioning::shared;
  keep_changes(method_ ? method_->changes() : nullptr, changes_);
  method_.reset();
  is_final_method_ = false;
  entry_ = find_method("buffered");
  strict_ = true;  // no profile changes that
}

// The window stays as long as the program reads from it.
void input::share_position() noexcept {
  if (!follows_descriptor_ || is_to_share_ || failure_ || !open_ || positioning_ != positioning::own) return;
  std::error_code error;
  uninterrupted(error, [&] { file_.set_position(window_.end(), error); });
  is_to_share_ = !error;  // a pipe has no position
}

// Others may have moved a shared position.
void input::locate() noexcept {
  if (failure_ || !open_ || positioning_ != positioning::shared) return;
  std::error_code error;
  std::uint64_t position = 0;
  uninterrupted(error, [&] { position = file_.position(error); });
  window_.move_to(position);
  if (error) fail("read", error);
}

}  // namespace freshet::detail
