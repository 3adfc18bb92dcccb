#include "src/filter/checksum_input.hpp"

#include <utility>

namespace freshet::detail {

checksum_input::checksum_input(std::unique_ptr<source> inner, const checksum& expected)
    : filtered_input{std::move(inner)}, expected_{expected} {
  window_.move_to(inner_->offset());
}

bool checksum_input::fetch() noexcept {
  if (failure_ || !open_) return false;
  const bool more = inner_->next_window();
  follow();
  if (!more && !failure_) compare();
  return more;
}

// Counts the new window of the inner source and shows it.
void checksum_input::follow() noexcept {
  window_.move_to(inner_->offset());
  if (!take_failure()) return;
  window_.show(inner_->window());
  sum_.add(window_.unread());
}

std::size_t checksum_input::read_piece(std::span<std::byte> into) noexcept {
  if (failure_ || !open_) return 0;
  const std::size_t got = inner_->read(into);
  sum_.add(into.first(got));
  follow();
  if (got == 0 && !failure_) compare();
  return got;
}

void checksum_input::compare() noexcept {
  if (std::exchange(ended_, true)) return;
  if (sum_.result() != expected_)
    fail("verify", std::make_error_code(std::errc::bad_message), "the checksum of the bytes is not the expected one");
}

void checksum_input::seek(std::uint64_t offset) noexcept {
  if (failure_ || !open_ || window_.reaches(offset)) return;
  fail("seek in", std::make_error_code(std::errc::invalid_seek), "a file with a checksum is read from front to back");
}

void checksum_input::close(std::size_t used) noexcept {
  if (!open_) return;
  const std::size_t left = window_.size() - used;
  // Reading on from a pipe that has not ended would block.
  if (left == 0 && !ended_ && inner_->can_seek()) next_window();
  const std::size_t unread = ended_ || failure_ ? 0 : left == 0 ? window_.size() : left;
  inner_->close(inner_->window().size() - unread);
  take_failure();
  window_.clear();
  open_ = false;
}

}  // namespace freshet::detail
