#include "src/output.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "src/block_observer.hpp"
#include "src/method/transfer.hpp"
#include "src/temporary_file.hpp"

namespace freshet::detail {
namespace {

// From so many bytes on, in a block that is not full yet, the method pays. Where the page cache is at its fastest it
// would write 4 MiB a millisecond sooner than direct methods do, where memory comes slowly to it many milliseconds
// later.
constexpr std::size_t large_enough = std::size_t{4} << 20;

}  // namespace

output::~output() { remove_temporary(); }

std::size_t output::exchange(std::size_t filled) noexcept {
  if (failure_ || !open_ || !look()) return 0;
  if (grow(filled)) return filled;
  const block_under_way waiting;
  hand_over(filled);
  waiting.arrived(filled);
  return 0;
}

std::size_t output::pass(std::span<const std::byte> bytes) noexcept {
  if (failure_ || !look() || bytes.size() < block_size_ || !start_method()) return 0;
  const auto whole = bytes.first(bytes.size() / block_size_ * block_size_);
  const block_under_way waiting;
  std::error_code error;
  if (!method_->write_through(whole, offset_, error)) return 0;
  if (error) fail("write", error);
  moved_on(whole.size());
  waiting.arrived(whole.size());
  return whole.size();
}

void output::seek(std::size_t filled, std::uint64_t offset) noexcept {
  flush(filled);
  std::error_code error;
  if (options_.mode == open_mode::append && !failure_) offset = size(error);
  if (error) fail("look at", error);
  if (failure_ || !can_seek() || offset == offset_) return;
  method_.reset();
  edited_ = true;
  offset_ = written_ = offset;
  moved_on(0);
}

std::uint64_t output::size(std::error_code& failure) const noexcept {
  os::file_status now;
  uninterrupted(failure, [&] { now = file_.status(failure); });
  return now.size;
}

void output::flush(std::size_t filled) noexcept {
  if (failure_ || !open_) return;
  const block_under_way waiting;
  method_ || filled >= large_enough ? write_all_left(filled) : write_small(filled);
  waiting.arrived(filled);
}

void output::sync(std::size_t filled) noexcept {
  flush(filled);
  make_durable();
}

void output::close(std::size_t filled) noexcept {
  if (!open_) return;
  flush(filled);
  if (!failure_) settle_length();
  if (is_durable_at_close()) make_durable();
  if (unpublished_ && !failure_) publish();
  remove_temporary();
  // A queue may hold the file open, too.
  written_ = written();
  method_.reset();
  std::error_code error;
  file_.close(error);
  if (error) fail("close", error);
  block_ = {};
  begin_ = 0;
  open_ = false;
}

void output::abandon(std::size_t filled) noexcept {
  if (!open_) return;
  if (unpublished_) fail("close", std::make_error_code(std::errc::operation_canceled));
  close(filled);
}

void output::reserve(std::uint64_t bytes, std::error_code& failure) noexcept {
  failure = failure_;
  if (failure || bytes == 0) return;
  if (!look()) {
    failure = failure_;
    return;
  }
  const std::uint64_t from = std::max(reserved_, written());
  if (sequential_only_ || !entry_->needs_file || bytes <= from) return;
  uninterrupted(failure, [&] { file_.preallocate(from, bytes - from, failure); });
  has_spare_ = true;  // a part of it, even where that failed
  if (failure == std::errc::operation_not_supported || failure == std::errc::function_not_supported)
    failure.clear();
  else if (!failure)
    reserved_ = bytes;
}

bool output::grow(std::size_t filled) noexcept {
  if (block_.size() >= block_size_) return false;
  auto larger = pool::try_take(std::min(block_size_, block_.size() * 8));
  if (!larger) return false;
  const auto begin = static_cast<std::size_t>(offset_ % larger.size());
  // A file appended to may reach the end of the larger block, too.
  if (begin + filled == larger.size()) return false;
  std::memcpy(larger.data() + begin, block_.data() + begin_, filled);
  block_ = std::move(larger);
  begin_ = begin;
  return true;
}

bool output::start_method() noexcept {
  if (method_) return true;
  try {
    if (!strict_) entry_ = &usable_method(*entry_, file_);
    const bool one_at_a_time = sequential_only_ || !(entry_->asynchronous || !entry_->needs_file);
    // What cannot be cut must not have gaps, and a size set ahead is cut back.
    const bool ordered = options_.ordered || edited_;
    const bool size_ahead = options_.size_ahead && options_.mode != open_mode::overwrite && !edited_;
    const unsigned depth = one_at_a_time ? 1 : ordered ? std::min(depth_, 2U) : depth_;
    method_ = entry_->make(file_, {.depth = depth,
                                   .ordered = ordered,
                                   .size_ahead = size_ahead,
                                   .each_write = made_durable_each_write(),
                                   .append = sequential_only_,
                                   .strict = strict_,
                                   .start = offset_,
                                   .reserve = options_.reserve});
    return true;
  } catch (const std::bad_alloc&) {
    fail("start writing", std::make_error_code(std::errc::not_enough_memory));
    return false;
  }
}

void output::hand_over(std::size_t filled) noexcept {
  if (filled == 0 || !start_method()) return;
  std::error_code error;
  auto next = method_->exchange({std::move(block_), begin_, begin_ + filled, offset_}, error);
  block_ = std::move(next);
  if (!error && !block_) error = std::make_error_code(std::errc::not_enough_memory);
  if (error) fail("write", error);
  moved_on(filled);
}

// What is in flight, too.
void output::write_all_left(std::size_t filled) noexcept {
  hand_over(filled);
  std::error_code error;
  if (!failure_) method_->drain(error);
  if (error) return fail("write", error);
  moved_on(0);
}

// A small file that ends before its first block is full costs what open, write and close cost.
void output::write_small(std::size_t filled) noexcept {
  std::error_code error;
  const auto attempt = sequential_only_ || !looked_ ? attempt_append : attempt_at;
  written_ += write_all(file_, window().first(filled), offset_, attempt, error);
  if (error) fail("write", error);
  moved_on(filled);
}

void output::moved_on(std::size_t by) noexcept {
  offset_ += by;
  // Blocks end at multiples of their size in the file, and memory and file stay aligned alike.
  begin_ = block_ ? static_cast<std::size_t>(offset_ % block_.size()) : 0;
  if (failure_ || !made_durable_each_write()) return;
  if (synchronous_)
    durable_ = written();
  else
    sync_data();
}

void output::sync_data() noexcept {
  if (!entry_->needs_file) return;
  std::error_code error;
  uninterrupted(error, [&] { file_.sync_data(error); });
  // Pipes and terminals have no device below them.
  if (error == std::errc::invalid_argument && opened_.kind != os::file_kind::regular) return;
  if (error) return fail("sync", error);
  durable_ = written();
}

void output::make_durable() noexcept {
  if (failure_ || !look()) return;
  sync_data();
  if (!failure_ && !entry_durable_ && opened_.kind == os::file_kind::regular && !path_.empty() && !unpublished_)
    sync_entry();
}

void output::sync_entry() noexcept {
  std::error_code error;
  uninterrupted(error, [&] { os::sync_directory(directory_of(path_), error); });
  if (error) return fail("sync the directory of", error);
  entry_durable_ = true;
}

// Leaves the file as long as what was written: after an error, and where space or size was taken ahead.
void output::settle_length() noexcept {
  // The child of a fork must not cut off what its parent has written since.
  if (sequential_only_ || !file_.is_open() || generation_ != os::fork_generation()) return;
  const bool longer = !edited_ && (failure_ || options_.mode == open_mode::overwrite);
  if (!longer && !has_spare_) return;
  std::error_code error;
  os::file_status now;
  uninterrupted(error, [&] { now = file_.status(error); });
  if (!error && longer && now.size > written())
    uninterrupted(error, [&] { file_.set_size(written(), error); });
  else if (!error && has_spare_)
    uninterrupted(error, [&] { file_.give_back(now.size, error); });
  if (error && !failure_) fail("set the size of", error);
}

void output::fail(std::string_view operation, std::error_code why) noexcept {
  if (failure_) return;
  failure_ = why;
  failed_operation_ = operation;
  std::error_code same;
  if (method_) method_->drain(same);
  failed_at_ = written();
  settle_length();
  block_ = {};
  begin_ = 0;
}

void output::remove_temporary() noexcept {
  std::error_code error;
  const bool ours = generation_ == os::fork_generation();
  if (unpublished_ && ours && !temporary_.empty()) uninterrupted(error, [&] { os::remove(temporary_, error); });
  temporary_.clear();
}

std::string_view output::method_name() noexcept {
  look();
  const std::string_view other = method_ ? method_->fallen_back_to() : std::string_view{};
  return other.empty() ? entry_->name : other;
}

error output::failure_as_error() const { return {failure_, failed_operation_, path_, failed_at_}; }

}  // namespace freshet::detail
