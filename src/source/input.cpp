#include "src/source/input.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "src/method/exchange_timer.hpp"
#include "src/method/residency_map.hpp"

namespace freshet::detail {

bool input::fetch() noexcept {
  notice_forks();
  sync_position();
  limit_.wait();
  exchange_timer timer;
  if (!start()) return false;
  if (is_final_method_) timer.begin();
  std::error_code error;
  limit_block();
  window_.show(method_->read(window_.offset(), error));
  if (has_no_offsets(error)) window_.show(method_->read(window_.offset(), error));
  count_share(window_.size(), timer);
  limit_.count(window_.size());
  if (!window_.empty()) known_size_ = std::max(known_size_, window_.end());
  follow_position();
  if (error)
    fail("read", error);
  else if (window_.empty())
    check_end();
  return !window_.empty();
}

// After a seek, few bytes may be wanted: the first block is small, and each that follows is twice as large. Direct
// reads cost by the call and not by the byte.
void input::limit_block() noexcept {
  if (after_seek_ == 0) return;
  const bool is_small = after_seek_ < plan_.block && !plan_.entry->direct;
  method_->limit(is_small ? window_.offset() + after_seek_ : endless);
  after_seek_ = is_small ? 2 * after_seek_ : 0;
}

void input::seek(std::uint64_t offset) noexcept {
  notice_forks();
  if (failure_ || !open_) return;
  if (!shared_ && positioning_ != positioning::shared && window_.reaches(offset)) return;
  if (!can_seek()) return fail("seek in", std::make_error_code(std::errc::invalid_seek));
  // A program that moves about within a block needs all of it soon, and no more calls then.
  const bool is_near = offset / plan_.block == window_.offset() / plan_.block;
  const std::size_t next = after_seek_;
  move_to(offset);
  if (is_near) after_seek_ = next;
}

void input::refresh(std::uint64_t offset) noexcept {
  seek(offset);
  if (failure_ || !open_ || !can_seek()) return;
  move_to(offset);
  if (method_) method_->forget();
}

void input::move_to(std::uint64_t offset) noexcept {
  window_.move_to(offset);
  after_seek_ = first_block;
  if (positioning_ != positioning::shared) return follow_position();
  std::error_code error;
  uninterrupted(error, [&] { file_.set_position(offset, error); });
  if (error) fail("seek in", error);
}

bool input::can_seek() noexcept { return stat_file() && positioning_ != positioning::descriptors; }

std::uint64_t input::ready() noexcept {
  if (!open_ || positioning_ != positioning::descriptors) return 0;
  std::error_code unknown;
  std::uint64_t bytes = 0;
  uninterrupted(unknown, [&] { bytes = file_.ready(unknown); });
  return unknown ? 0 : bytes;
}

void input::close(std::size_t used) noexcept {
  if (!open_) return;
  std::error_code error;
  window_.take(used);
  if (moves_position_) uninterrupted(error, [&] { file_.set_position(window_.offset(), error); });
  if (error) fail("seek in", error);
  window_.clear();
  // First the method: the queue of an asynchronous one keeps the file open.
  end_method();
  descriptor_position_.leave();
  file_.close(error);
  if (error) fail("close", error);
  open_ = false;
  print_log();
}

// What it did stays known.
void input::end_method() noexcept {
  history_.end(method_ ? method_->changes() : nullptr);
  method_.reset();
}

std::uint64_t input::size(std::error_code& failure) noexcept {
  os::file_status now;
  uninterrupted(failure, [&] { now = file_.status(failure); });
  if (failure || !os::has_size(now.kind)) return 0;
  known_size_ = std::max(known_size_, now.size);
  return now.size;
}

// Reads directly into the caller's memory if the method can.
std::size_t input::read_piece(std::span<std::byte> into) noexcept {
  if (into.size() < plan_.block) return copy(into);
  notice_forks();
  sync_position();
  limit_.wait();
  exchange_timer timer;
  if (!start()) return 0;
  if (limit_) into = into.first(std::min(into.size(), plan_.block));
  std::error_code error;
  // Until the final method is chosen, at most as much as the first block may have.
  if (!is_final_method_) into = into.first(std::min(into.size(), small_file));
  if (is_final_method_) timer.begin();
  if (std::exchange(after_seek_, 0) != 0) method_->limit(endless);
  auto length = method_->read_unbuffered(into, window_.offset(), error);
  if (has_no_offsets(error)) length = method_->read_unbuffered(into, window_.offset(), error);
  if (!length) return copy(into);
  count_share(*length, timer);
  window_.move_to(window_.offset() + *length);
  if (*length > 0) known_size_ = std::max(known_size_, window_.offset());
  follow_position();
  limit_.count(*length);
  if (error)
    fail("read", error);
  else if (*length == 0)
    check_end();
  return *length;
}

// Bytes of the first block count for no method, and take no call that reads the clock.
void input::count_share(std::size_t bytes, exchange_timer& timer) noexcept {
  all_bytes_ += bytes;
  timer.finish(bytes);
  if (!is_final_method_ || bytes == 0) return;
  const method_entry* const at_work = method_->at_work();
  history_.add(at_work != nullptr ? at_work->name : plan_.entry->name, bytes, timer.seconds());
}

file_statistics input::statistics() const {
  return history_.statistics(all_bytes_, method_ ? method_->changes() : nullptr);
}

void input::print_log() const noexcept try {
  if (is_log_wanted() && !path_.empty() && !shared_) detail::print_log("read", path_, statistics());
} catch (const std::bad_alloc&) {  // no memory for the line
}

// Distinguishes a truncated file from one whose size was never right (as below /sys).
void input::check_end() noexcept {
  if (window_.offset() >= known_size_ || may_be_truncated_) return;
  std::error_code error;
  os::file_status now;
  uninterrupted(error, [&] { now = file_.status(error); });
  if (error) return fail("read", error);
  // A file that has bytes here after all was truncated, and has grown since.
  if (now.size < known_size_ || has_byte_at(file_, window_.offset())) fail_as_truncated();
}

// The size that the system tells is less than what was read. That alone proves nothing: files below /proc have more
// bytes than they say.
void input::check_size(std::uint64_t size) noexcept {
  if (size < known_size_ && !may_be_truncated_ && !has_byte_at(file_, known_size_ - 1)) fail_as_truncated();
}

void input::fail_as_truncated() noexcept {
  fail("read", std::make_error_code(std::errc::io_error), "the file was truncated while it was being read");
}

std::string_view input::method_name() const noexcept {
  const std::string_view fallback = method_ ? method_->fallen_back_to() : std::string_view{};
  return fallback.empty() ? plan_.entry->name : fallback;
}

}  // namespace freshet::detail
