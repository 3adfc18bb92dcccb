// How an output goes on where others use its descriptor: after a fork, and once the program has asked for it.
#include "src/sink/output.hpp"

namespace freshet::detail {

// From now on writes may leave the descriptor's own position behind.
void output::follow_position() noexcept {
  if (writes_at_own_position() || !plan_.entry->needs_file) return;
  descriptor_position_.follow(window_.offset());
}

void output::notice_forks() noexcept {
  if (!descriptor_position_.has_forked()) [[likely]]
    return;
  descriptor_position_.notice_forks();
  share_position();
}

// A file that goes past the page cache needs the offsets of its writes: it keeps a position of its own, and belongs to
// the process that opened it.
void output::share_position() noexcept {
  if (failure() || !open_ || writes_at_own_position() || !plan_.entry->needs_file) return;
  if (options_.caching == caching::bypass) {
    if (generation_ != os::fork_generation())
      fail("write", std::make_error_code(std::errc::owner_dead),
           "a file that bypasses the page cache belongs to the process that opened it");
    return;
  }
  if (!stat_file() || positioning_ == positioning::sequential) return;
  std::error_code error;
  if (method_) method_->drain(error);
  written_ = written();
  if (!error) end_method();
  if (!error) uninterrupted(error, [&] { target_.file().set_direct(false, error); });
  // A fork in another thread must not set an older position after this.
  own_position_ = descriptor_position_.leave().value_or(own_position_);
  const std::uint64_t next = expected_.value_or(window_.offset());
  if (!error && own_position_ != next) uninterrupted(error, [&] { target_.file().set_position(next, error); });
  if (error) return fail("write", error);
  positioning_ = positioning::shared;
  choose_again("write");
}

void output::expect(std::uint64_t offset) noexcept {
  notice_forks();
  if (failure() || !open_ || positioning_ == positioning::sequential || !plan_.entry->needs_file) return;
  expected_ = offset;
  if (positioning_ != positioning::shared) return descriptor_position_.follow(offset);
  std::error_code error;
  uninterrupted(error, [&] { target_.file().set_position(offset, error); });
  if (error) fail("seek in", error);
}

std::optional<std::uint64_t> output::expected() noexcept {
  notice_forks();
  if (!expected_ || positioning_ != positioning::shared) return {};
  std::error_code error;
  uninterrupted(error, [&] { expected_ = target_.file().position(error); });
  if (error) fail("seek in", error);
  return expected_;
}

bool output::is_position_shared() noexcept {
  notice_forks();
  const bool appends = options_.mode == open_mode::append && target_.is_regular();
  return appends || positioning_ == positioning::shared;
}

void output::sync_position() noexcept {
  if (failure() || !open_ || !is_position_shared()) return;
  std::error_code error;
  std::uint64_t position = 0;
  if (positioning_ == positioning::shared)
    uninterrupted(error, [&] { position = target_.file().position(error); });
  else
    position = size(error);
  if (!error) window_.relocate(position + window_.unwritten().size());
}

}  // namespace freshet::detail
