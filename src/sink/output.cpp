#include "src/sink/output.hpp"

#include <algorithm>
#include <limits>
#include <new>

namespace freshet::detail {
namespace {

// At or above this size, use the method even for a partially filled block. At its fastest, the page cache would write
// 4 MiB a millisecond sooner than direct methods; where free memory is slow to allocate, many milliseconds later.
constexpr std::size_t large_enough = std::size_t{4} << 20;
// Bytes that are written without a copy between two chances to change the method.
constexpr std::size_t most_at_once = std::size_t{4} << 20;
// With caching::drop: what the page cache may hold of bytes before the last seek().
constexpr std::uint64_t most_undropped = std::uint64_t{16} << 20;
// Offsets are signed (off_t): larger sizes are refused as calls are that the system lacks.
constexpr std::uint64_t largest_size = std::numeric_limits<std::int64_t>::max();

}  // namespace

void output::make_room(std::size_t least) noexcept {
  notice_forks();
  if (failure() || (block_.size() >= small_file && !stat_file()) || grow(least)) return;
  exchange_timer timer;
  const std::size_t length = window_.unwritten().size();
  // Methods are made for large blocks. A crowd of files may have none, and of a file that is flushed line by line, only
  // a part of a line is left where a block ends.
  const bool is_crowded = block_.size() < std::min(plan_.block, small_file);
  const bool is_flushed = !plan_.strict && length < first_block;
  const bool starts_none = !method_ && !bounds_cache() && (is_crowded || is_flushed);
  starts_none ? write_small(least) : hand_over(timer, least);
  shrink(least);
  timer.finish(length);
}

// What fits into a larger block is copied there, whatever the file is. Else the file must be known.
bool output::write_whole(std::span<const std::byte> bytes) noexcept {
  notice_forks();
  if (failure() || (!target_.status() && grow(bytes.size()))) return false;
  if (!stat_file() || !keeps_pieces() || grow(bytes.size())) return false;
  leave_memory_before(window_.position() + bytes.size());
  if (failure() || !start_method()) return false;
  const auto unwritten = window_.unwritten();
  const std::size_t length = unwritten.size() + bytes.size();
  exchange_timer timer;
  timer.begin();
  std::error_code error;
  method_->append(unwritten, bytes, error);
  history_.add(in_use().name, length, timer.seconds());
  window_.move_to(window_.offset() + length);
  if (error) fail("write", error);
  note_progress();
  timer.finish(length);
  return true;
}

// Writes what lies before the last multiple of the block in the file without copying it, if the method can. Returns how
// many bytes it wrote. Precondition: nothing in the window is unwritten.
std::size_t output::write_large(std::span<const std::byte> bytes) noexcept {
  notice_forks();
  if (failure() || bytes.size() < std::min(plan_.block, small_file) || !stat_file() || keeps_pieces()) return 0;
  leave_memory_before(window_.offset() + bytes.size());
  if (bytes.size() < plan_.block || !start_method()) return 0;
  // A method that may change after each block needs them one after another.
  std::size_t most = method_->at_work() == nullptr ? bytes.size() : std::max(plan_.block, most_at_once);
  if (limit_) most = plan_.block;
  const std::uint64_t end = (window_.offset() + std::min(bytes.size(), most)) / plan_.block * plan_.block;
  const auto whole = bytes.first(static_cast<std::size_t>(end - window_.offset()));
  limit_.wait();
  exchange_timer timer;
  timer.begin();
  const std::string_view method = in_use().name;
  std::error_code error;
  if (!method_->write_unbuffered(whole, window_.offset(), error)) return 0;
  limit_.count(whole.size());
  history_.add(method, whole.size(), timer.seconds());
  if (is_durable_each_write()) timer.go_on();
  window_.move_to(window_.offset() + whole.size());
  if (error) fail("write", error);
  note_progress();
  timer.finish(whole.size());
  return whole.size();
}

void output::seek(std::uint64_t offset) noexcept {
  flush();
  std::error_code error;
  // Linux ignores O_APPEND for block devices.
  if (options_.mode == open_mode::append && !failure() && !target_.is_block_device()) offset = size(error);
  if (error) fail("get the size of", error);
  if (failure() || !can_seek()) return;
  // Others may have moved a shared position.
  const bool is_shared = positioning_ == positioning::shared;
  const auto left_at = expected();
  expected_.reset();
  if (failure()) return;
  if (left_at) offset = *left_at;
  if (offset == window_.offset() && !is_shared) return;
  end_method();
  if (options_.caching == caching::drop) drop_pages_left();
  // Bytes at the next position may be unaligned.
  uninterrupted(error, [&] { target_.file().set_direct(false, error); });
  if (!error && is_shared && !left_at) uninterrupted(error, [&] { target_.file().set_position(offset, error); });
  if (error) return fail("seek in", error);
  if (!writes_at_own_position()) positioning_ = positioning::edited;
  follow_position();
  window_.move_to(offset);
  written_ = run_begin_ = offset;
  note_progress();
}

std::uint64_t output::size(std::error_code& failure) const noexcept { return target_.size(failure); }

// A method that ends leaves the last bytes in the page cache.
void output::drop_pages_left() noexcept {
  undropped_ += window_.offset() - run_begin_;
  if (undropped_ < most_undropped) return;
  std::error_code error;
  uninterrupted(error, [&] { target_.file().wait_writeback(0, 0, error); });  // up to the file's end
  if (error) return fail("write", error);
  uninterrupted(error, [&] { target_.file().advise(os::advice::dont_need, 0, 0, error); });
  undropped_ = 0;
}

void output::flush() noexcept {
  if (failure() || !open_) return;
  notice_forks();
  if (failure()) return;
  exchange_timer timer;
  const std::size_t length = window_.unwritten().size();
  const bool by_method = method_ || length >= large_enough || (bounds_cache() && length > 0);
  by_method ? write_all_left(timer) : write_small();
  timer.finish(length);
}

// Nothing of a temporary file outlives it.
void output::sync() noexcept {
  flush();
  if (!options_.temporary) make_durable();
}

void output::close() noexcept {
  if (!open_) return;
  flush();
  if (!failure()) truncate_to_written();
  if (target_.is_hidden() && !failure()) copy_attributes();
  if (is_durable_at_close()) make_durable();
  if (target_.is_hidden() && !failure()) publish();
  std::error_code error;
  target_.remove_if_asked(error);
  if (error) fail("delete", error);
  // A queue may also hold the file open.
  written_ = written();
  end_method();
  descriptor_position_.leave();
  target_.close(error);
  if (error) fail("close", error);
  block_ = {};
  window_.clear();
  open_ = false;
  print_log();
}

void output::discard() noexcept {
  if (!open_) return;
  if (target_.is_hidden()) fail("close", std::make_error_code(std::errc::operation_canceled));
  close();
}

void output::reserve(std::uint64_t bytes, std::error_code& failure) noexcept {
  failure = this->failure();
  if (!failure && bytes > largest_size) failure = std::make_error_code(std::errc::file_too_large);
  if (failure || bytes == 0) return;
  if (stat_file()) leave_memory_before(bytes);
  if ((failure = this->failure())) return;
  const std::uint64_t from = std::max(reserved_, written());
  if (writes_at_own_position() || !target_.is_regular() || bytes <= from) return;
  uninterrupted(failure, [&] { target_.file().preallocate(from, bytes - from, failure); });
  has_spare_ = true;  // some of it may be allocated even after a failure
  if (is_refusal(failure))
    failure.clear();
  else if (!failure)
    reserved_ = bytes;
}

const method_entry& output::in_use() const noexcept {
  const method_entry* const at_work = method_ ? method_->at_work() : nullptr;
  return at_work != nullptr ? *at_work : *plan_.entry;
}

bool output::start_method() noexcept {
  if (method_) return true;
  try {
    follow_position();
    method_ = plan_.make_method(target_, positioning_, window_.offset(), run_begin_);
    return true;
  } catch (const std::bad_alloc&) {
    fail("start writing", std::make_error_code(std::errc::not_enough_memory));
    return false;
  }
}

void output::hand_over(exchange_timer& timer, std::size_t least) noexcept {
  leave_memory_before(window_.position());
  const auto unwritten = window_.unwritten();
  if (failure() || unwritten.empty() || !start_method()) return;
  limit_.wait();
  if (limit_) timer.restart();
  limit_.count(unwritten.size());
  const std::string_view method = in_use().name;
  const unsigned counted = history_.stands_for(unwritten.size());
  if (counted != 0) timer.begin();
  const auto begin = static_cast<std::size_t>(unwritten.data() - block_.data());
  std::error_code error;
  auto next = method_->exchange({std::move(block_), begin, begin + unwritten.size(), window_.offset(), &timer}, error);
  history_.add(method, unwritten.size(), counted != 0 ? counted * timer.seconds() : 0);
  if (is_durable_each_write()) timer.go_on();
  block_ = std::move(next);
  window_.clear();
  if (!error && !block_) error = std::make_error_code(std::errc::not_enough_memory);
  if (error) fail("write", error);
  note_progress(least);
}

// Also waits for the blocks in flight.
void output::write_all_left(exchange_timer& timer) noexcept {
  hand_over(timer);
  timer.go_on();
  if (failure()) return;
  std::error_code error;
  method_->drain(error);
  if (error) return fail("write", error);
  note_durability();
}

// A file that ends before its first block is full costs no more than open, write and close.
void output::write_small(std::size_t least) noexcept {
  leave_memory_before(window_.position());
  if (failure()) return;
  const auto unwritten = window_.unwritten();
  std::error_code error;
  const bool is_in_place = writes_at_own_position() || own_position_ == window_.offset();
  if (!is_in_place) follow_position();
  const auto write_once = is_in_place ? append_once : pwrite_once;
  limit_.wait();
  limit_.count(unwritten.size());
  const std::size_t length = write_all(target_.file(), unwritten, window_.offset(), write_once, error);
  written_ += length;
  if (is_in_place) own_position_ += length;
  window_.clear();
  if (error) fail("write", error);
  note_progress(least);
}

// The bytes before the window were written, or are in flight: shows the block for the next ones. Where each write is to
// be durable, they are.
void output::note_progress(std::size_t least) noexcept {
  if (failure()) return;
  if (descriptor_position_.is_followed() || own_position_ != window_.offset()) follow_position();
  show_block(least);
  note_durability();
}

void output::note_durability() noexcept {
  if (!is_durable_each_write()) return;
  if (target_.is_synchronous())
    durable_ = written();
  else
    sync_data();
}

void output::sync_data() noexcept {
  if (!plan_.entry->needs_file) return;
  std::error_code error;
  const bool has_device = target_.sync_data(error);
  if (error) return fail("sync", error);
  if (has_device) durable_ = written();
}

void output::copy_attributes() noexcept {
  std::error_code error;
  target_.copy_attributes(error);
  if (error) fail("keep the attributes of", error);
}

void output::make_durable() noexcept {
  if (failure() || !stat_file()) return;
  sync_data();
  if (!failure() && target_.needs_entry_sync()) sync_entry();
}

void output::sync_entry() noexcept {
  std::error_code error;
  target_.sync_entry(error);
  if (error) fail("sync the directory of", error);
}

void output::publish() noexcept {
  std::error_code error;
  target_.publish(error);
  if (error) return fail("give its name to", error);
  if (is_durable_at_close()) sync_entry();
}

// Makes the file as long as what was written: after an error, and where space or size was set ahead. What lies beyond
// the largest end that the file got from here, others have written; only a file that is overwritten is cut there, too.
void output::truncate_to_written() noexcept {
  // The child of a fork must not truncate what its parent has written since.
  if (positioning_ == positioning::sequential || !target_.file().is_open() || generation_ != os::fork_generation())
    return;
  const bool is_overwritten = options_.mode == open_mode::overwrite;
  const bool may_be_longer = positioning_ == positioning::front_to_back && (failure() || is_overwritten);
  if (!may_be_longer && !has_spare_) return;
  std::error_code error;
  const std::uint64_t size = target_.size(error);
  const bool is_from_here = is_overwritten || size <= (method_ ? method_->largest_end() : written_);
  if (!error && may_be_longer && size > written() && is_from_here)
    uninterrupted(error, [&] { target_.file().set_size(written(), error); });
  else if (!error && has_spare_)
    uninterrupted(error, [&] { target_.file().free_preallocation(size, error); });
  // What was reserved then stays reserved.
  if (!may_be_longer && is_refusal(error)) error.clear();
  if (error && !failure()) fail("set the size of", error);
}

// The block stays: a writer may have bytes put into it until its next call, which reports the error.
void output::fail(std::string_view operation, std::error_code why, std::string_view detail) noexcept {
  if (failure()) return;
  std::error_code ignored;  // a method repeats its first error
  if (method_) method_->drain(ignored);
  record_failure(operation, why, detail, written());
  truncate_to_written();
}

std::string_view output::method_name() noexcept {
  stat_file();
  const std::string_view fallback = method_ ? method_->fallen_back_to() : std::string_view{};
  return fallback.empty() ? plan_.entry->name : fallback;
}

// What it did stays known.
void output::end_method() noexcept {
  history_.end(method_ ? method_->changes() : nullptr);
  method_.reset();
}

file_statistics output::statistics() const {
  return history_.statistics(written(), method_ ? method_->changes() : nullptr);
}

void output::print_log() const noexcept try {
  if (is_log_wanted() && !target_.path().empty()) detail::print_log("wrote", target_.path(), statistics());
} catch (const std::bad_alloc&) {  // no memory for the line
}

}  // namespace freshet::detail
