// How an input goes on where others use its descriptor: after a fork, and once the program has asked for it.
#include "src/source/input.hpp"

namespace freshet::detail {

// Reads at offsets leave the descriptor's own position behind.
void input::follow_position() noexcept {
  if (follows_descriptor_ && positioning_ == positioning::own) descriptor_position_.follow(window_.end());
}

void input::notice_forks() noexcept {
  if (!follows_descriptor_ || (!descriptor_position_.has_forked() && !is_to_share_)) return;
  descriptor_position_.notice_forks();
  // There, or where others have read on from there.
  const std::optional<std::uint64_t> left_at = descriptor_position_.leave();
  if (failure_ || !open_ || positioning_ != positioning::own || !stat_file()) return;
  if (!os::has_size(status_->kind) || options_.caching == caching::bypass) return;
  std::error_code error;
  uninterrupted(error, [&] { file_.set_direct(false, error); });
  // Where another thread forked, a block may have been read since.
  if (!error && left_at && left_at != window_.end() && !is_to_share_)
    uninterrupted(error, [&] { file_.set_position(window_.end(), error); });
  if (error) return fail("read", error);
  positioning_ = positioning::shared;
  end_method();
  is_final_method_ = false;
  plan_.choose_buffered();
}

// The window stays as long as the program reads from it.
void input::share_position() noexcept {
  if (!follows_descriptor_ || is_to_share_ || failure_ || !open_ || positioning_ != positioning::own) return;
  std::error_code error;
  uninterrupted(error, [&] { file_.set_position(window_.end(), error); });
  is_to_share_ = !error;  // a pipe has no position
}

// Others may have moved a shared position.
void input::sync_position() noexcept {
  if (failure_ || !open_ || positioning_ != positioning::shared) return;
  std::error_code error;
  std::uint64_t position = 0;
  uninterrupted(error, [&] { position = file_.position(error); });
  window_.move_to(position);
  if (error) fail("read", error);
}

}  // namespace freshet::detail
