#include "src/sink/output.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "src/base/block_observer.hpp"
#include "src/method/steady_seconds.hpp"

namespace freshet::detail {
namespace {

// At or above this size, use the method even for a partially filled block. At its fastest, the page cache would write
// 4 MiB a millisecond sooner than direct methods; where free memory is slow to allocate, many milliseconds later.
constexpr std::size_t large_enough = std::size_t{4} << 20;
// Bytes that are written without a copy between two chances to change the method.
constexpr std::size_t largest_sample = std::size_t{4} << 20;
// With caching::drop: what the page cache may hold of bytes before the last seek().
constexpr std::uint64_t most_undropped = std::uint64_t{16} << 20;

}  // namespace

// Shows the part of the block in which the next bytes belong. Blocks end at multiples of their size in the file; one
// begins earlier in memory where less than `least` would be left of it.
void output::show_block(std::size_t least) noexcept {
  auto begin = static_cast<std::size_t>(window_.offset() % block_.size());
  if (block_.size() - begin < least) begin = static_cast<std::size_t>(window_.offset() % smallest_block);
  window_.show(block_.bytes().subspan(begin));
}

void output::make_room(std::size_t least) noexcept {
  if ((block_.size() >= small_file && !stat_file()) || grow(least)) return;
  const block_timer timer;
  const std::size_t length = window_.unwritten().size();
  // Methods are made for large blocks, which a crowd of files may not have.
  const bool is_crowded = !method_ && !bounds_cache() && block_.size() < std::min(block_size_, small_file);
  is_crowded ? write_small(least) : hand_over(least);
  shrink(least);
  timer.finish(length);
}

// Writes the whole blocks at the front of `bytes` without copying them, if the method can. Returns how many bytes it
// wrote. Precondition: nothing in the window is unwritten.
std::size_t output::write_large(std::span<const std::byte> bytes) noexcept {
  if (failure() || bytes.size() < std::min(block_size_, small_file) || !stat_file()) return 0;
  leave_memory_before(window_.offset() + bytes.size());
  if (bytes.size() < block_size_ || !start_method()) return 0;
  // A method that may change after each block needs them one after another.
  std::size_t most = method_->at_work() == nullptr ? bytes.size() : std::max(block_size_, largest_sample);
  if (limit_) most = block_size_;
  const auto whole = bytes.first(std::min(bytes.size(), most) / block_size_ * block_size_);
  limit_.wait();
  const block_timer timer;
  const std::string_view method = in_use().name;
  const double begin = steady_seconds();
  std::error_code error;
  if (!method_->write_unbuffered(whole, window_.offset(), error)) return 0;
  limit_.count(whole.size());
  shares_.add(method, whole.size(), steady_seconds() - begin);
  window_.move_to(window_.offset() + whole.size());
  if (error) fail("write", error);
  adapt_block();
  note_progress();
  timer.finish(whole.size());
  return whole.size();
}

void output::seek(std::uint64_t offset) noexcept {
  flush();
  std::error_code error;
  if (options_.mode == open_mode::append && !failure()) offset = size(error);
  if (error) fail("get the size of", error);
  if (failure() || !can_seek() || offset == window_.offset()) return;
  end_method();
  if (options_.caching == caching::drop) drop_pages_left();
  // Bytes at the next position may be unaligned.
  uninterrupted(error, [&] { file_.set_direct(false, error); });
  if (error) return fail("seek in", error);
  if (positioning_ != positioning::sequential) positioning_ = positioning::edited;
  window_.move_to(offset);
  written_ = run_begin_ = offset;
  note_progress();
}

std::uint64_t output::size(std::error_code& failure) const noexcept {
  os::file_status now;
  uninterrupted(failure, [&] { now = file_.status(failure); });
  return now.size;
}

// A method that ends leaves the last bytes in the page cache.
void output::drop_pages_left() noexcept {
  undropped_ += window_.offset() - run_begin_;
  if (undropped_ < most_undropped) return;
  std::error_code error;
  uninterrupted(error, [&] { file_.wait_writeback(0, 0, error); });  // up to the file's end
  if (error) return fail("write", error);
  uninterrupted(error, [&] { file_.advise(os::advice::dont_need, 0, 0, error); });
  undropped_ = 0;
}

void output::flush() noexcept {
  if (failure() || !open_) return;
  const block_timer timer;
  const std::size_t length = window_.unwritten().size();
  const bool by_method = method_ || length >= large_enough || (bounds_cache() && length > 0);
  by_method ? write_all_left() : write_small();
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
  if (publisher_.is_pending() && !failure()) copy_attributes();
  if (is_durable_at_close()) make_durable();
  if (publisher_.is_pending() && !failure()) publish();
  publisher_.discard();
  if (deletion_ && deletion_->is_pending()) delete_file();
  // A queue may also hold the file open.
  written_ = written();
  end_method();
  std::error_code error;
  file_.close(error);
  if (error) fail("close", error);
  scratch_.reset();
  deletion_.reset();
  block_ = {};
  window_.clear();
  open_ = false;
  print_log();
}

void output::delete_file() noexcept {
  std::error_code error;
  deletion_->remove(error);
  if (error) fail("delete", error);
}

void output::discard() noexcept {
  if (!open_) return;
  if (publisher_.is_pending()) fail("close", std::make_error_code(std::errc::operation_canceled));
  close();
}

void output::reserve(std::uint64_t bytes, std::error_code& failure) noexcept {
  failure = this->failure();
  if (failure || bytes == 0) return;
  if (stat_file()) leave_memory_before(bytes);
  if ((failure = this->failure())) return;
  const std::uint64_t from = std::max(reserved_, written());
  if (positioning_ == positioning::sequential || !entry_->needs_file || bytes <= from) return;
  uninterrupted(failure, [&] { file_.preallocate(from, bytes - from, failure); });
  has_spare_ = true;  // some of it may be allocated even after a failure
  if (failure == std::errc::operation_not_supported || failure == std::errc::function_not_supported)
    failure.clear();
  else if (!failure)
    reserved_ = bytes;
}

// The size that the block may have now. Where many files are open, those that write much have the larger blocks.
std::size_t output::allowance() const noexcept {
  constexpr std::uint64_t portion = 128;
  if (strict_ || options_.block != 0) return block_size_;
  const std::size_t known = status_ ? block_size_ : std::min(block_size_, small_file);
  const auto earned = static_cast<std::size_t>(std::min<std::uint64_t>(written() / portion, largest_block));
  return std::min(known, std::bit_floor(std::max({pool::fair_share(), earned, first_block})));
}

bool output::grow(std::size_t least) noexcept {
  if (block_.size() >= block_size_) return false;
  const std::size_t size = std::min(allowance(), block_.size() * 8);
  if (size <= block_.size()) return false;
  auto larger = pool::try_take(size);
  if (!larger) return false;
  const auto unwritten = window_.unwritten();
  const auto begin = static_cast<std::size_t>(window_.offset() % larger.size());
  // In a file opened to append, the unwritten bytes may end where the larger block does.
  if (larger.size() - begin < unwritten.size() + least) return false;
  std::memcpy(larger.data() + begin, unwritten.data(), unwritten.size());
  window_.show(larger.bytes().subspan(begin), unwritten.size());
  block_ = std::move(larger);
  return true;
}

// Returns memory that others need more. Precondition: nothing in the window is unwritten.
void output::shrink(std::size_t least) noexcept {
  if (failure() || (method_ && in_use().asynchronous) || block_.size() <= 2 * allowance()) return;
  auto smaller = pool::try_take(allowance());
  if (!smaller) return;
  block_ = std::move(smaller);
  show_block(least);
}

// Whether the method may change while the file is written: only where nobody named one, and where bytes already written
// are the whole file.
bool output::adapts() const noexcept {
  return !strict_ && options_.caching == caching::automatic && !is_in_memory() && is_regular() &&
         positioning_ == positioning::front_to_back;
}

const method_entry& output::in_use() const noexcept {
  const method_entry* const at_work = method_ ? method_->at_work() : nullptr;
  return at_work != nullptr ? *at_work : *entry_;
}

bool output::start_method() noexcept {
  if (method_) return true;
  try {
    if (!strict_) entry_ = &usable_method(*entry_, file_);
    const bool sequential = positioning_ == positioning::sequential;
    const bool edited = positioning_ == positioning::edited;
    const bool one_at_a_time = sequential || !(entry_->asynchronous || !entry_->needs_file);
    // A file that cannot be truncated must not have gaps; a size set ahead has to be truncated.
    const bool ordered = options_.ordered || edited;
    const bool size_ahead = options_.size_ahead && options_.mode != open_mode::overwrite && !edited;
    const unsigned depth = one_at_a_time ? 1 : ordered ? std::min(depth_, 2U) : depth_;
    const method_entry& made = adapts() && !entry_->changes ? *find_method("adaptive") : *entry_;
    method_ = made.make(file_, {.depth = depth,
                                .ordered = ordered,
                                .size_ahead = size_ahead,
                                .durability = options_.durability,
                                .append = sequential,
                                .strict = strict_,
                                .drop = options_.caching == caching::drop,
                                .start = window_.offset(),
                                .reserve = options_.reserve,
                                .device = status_ ? status_->device : 0,
                                .first = entry_->name == made.name ? nullptr : entry_,
                                .block = options_.block == 0 && !limit_ ? block_size_ : 0,
                                .expected = expected_});
    return true;
  } catch (const std::bad_alloc&) {
    fail("start writing", std::make_error_code(std::errc::not_enough_memory));
    return false;
  }
}

void output::hand_over(std::size_t least) noexcept {
  leave_memory_before(window_.position());
  const auto unwritten = window_.unwritten();
  if (failure() || unwritten.empty() || !start_method()) return;
  limit_.wait();
  limit_.count(unwritten.size());
  const std::string_view method = in_use().name;
  const double start = steady_seconds();
  const auto begin = static_cast<std::size_t>(unwritten.data() - block_.data());
  std::error_code error;
  auto next = method_->exchange({std::move(block_), begin, begin + unwritten.size(), window_.offset()}, error);
  shares_.add(method, unwritten.size(), steady_seconds() - start);
  block_ = std::move(next);
  window_.clear();
  if (!error && !block_) error = std::make_error_code(std::errc::not_enough_memory);
  if (error) fail("write", error);
  adapt_block();
  note_progress(least);
}

// Blocks have the size that the method wants by now.
void output::adapt_block() noexcept {
  if (const std::size_t wanted = method_->wanted_block(); wanted != 0) block_size_ = wanted;
}

// Also waits for the blocks in flight.
void output::write_all_left() noexcept {
  hand_over();
  if (failure()) return;
  std::error_code error;
  method_->drain(error);
  if (error) return fail("write", error);
  note_progress();
}

// A file that ends before its first block is full costs no more than open, write and close.
void output::write_small(std::size_t least) noexcept {
  leave_memory_before(window_.position());
  if (failure()) return;
  const auto unwritten = window_.unwritten();
  std::error_code error;
  const bool at_own_position = positioning_ == positioning::sequential || !status_;
  const auto write_once = at_own_position ? append_once : pwrite_once;
  limit_.wait();
  limit_.count(unwritten.size());
  written_ += write_all(file_, unwritten, window_.offset(), write_once, error);
  window_.clear();
  if (error) fail("write", error);
  note_progress(least);
}

// The bytes before the window were written, or are in flight: shows the block for the next ones. Where each write is to
// be durable, they are.
void output::note_progress(std::size_t least) noexcept {
  if (failure()) return;
  show_block(least);
  if (!is_durable_each_write()) return;
  if (synchronous_)
    durable_ = written();
  else
    sync_data();
}

void output::sync_data() noexcept {
  if (!entry_->needs_file) return;
  std::error_code error;
  uninterrupted(error, [&] { has_new_attributes_ ? file_.sync(error) : file_.sync_data(error); });
  // Pipes and terminals have no device below them.
  if (error == std::errc::invalid_argument && !is_regular()) return;
  if (error) return fail("sync", error);
  has_new_attributes_ = false;
  durable_ = written();
}

// After the last byte: the kernel takes set-user-ID, set-group-ID and capabilities from a file that is written.
void output::copy_attributes() noexcept {
  if (options_.mode == open_mode::create_new) return;
  std::error_code error;
  has_new_attributes_ = publisher_.copy_attributes(file_, error);
  if (error) fail("keep the attributes of", error);
}

void output::make_durable() noexcept {
  if (failure() || !stat_file()) return;
  sync_data();
  if (!failure() && !entry_durable_ && is_regular() && !path_.empty() && !publisher_.is_pending()) sync_entry();
}

void output::sync_entry() noexcept {
  std::error_code error;
  // sync() may be called for files that are not opened to be durable. Their path may mean another file by now.
  if (!directory_.is_open() && !publisher_.directory().is_open())
    uninterrupted(error, [&] { directory_ = os::directory::containing(file_, path_, error); });
  const auto& directory = directory_.is_open() ? directory_ : publisher_.directory();
  if (!error) uninterrupted(error, [&] { directory.sync(error); });
  if (error) return fail("sync the directory of", error);
  entry_durable_ = true;
}

// Makes the file as long as what was written: after an error, and where space or size was set ahead.
void output::truncate_to_written() noexcept {
  // The child of a fork must not truncate what its parent has written since.
  if (positioning_ == positioning::sequential || !file_.is_open() || generation_ != os::fork_generation()) return;
  const bool may_be_longer =
      positioning_ == positioning::front_to_back && (failure() || options_.mode == open_mode::overwrite);
  if (!may_be_longer && !has_spare_) return;
  std::error_code error;
  os::file_status now;
  uninterrupted(error, [&] { now = file_.status(error); });
  if (!error && may_be_longer && now.size > written())
    uninterrupted(error, [&] { file_.set_size(written(), error); });
  else if (!error && has_spare_)
    uninterrupted(error, [&] { file_.free_preallocation(now.size, error); });
  if (error && !failure()) fail("set the size of", error);
}

void output::fail(std::string_view operation, std::error_code why, std::string_view detail) noexcept {
  if (failure()) return;
  std::error_code ignored;  // a method repeats its first error
  if (method_) method_->drain(ignored);
  record_failure(operation, why, detail, written());
  truncate_to_written();
  block_ = {};
}

std::string_view output::method_name() noexcept {
  stat_file();
  const std::string_view fallback = method_ ? method_->fallen_back_to() : std::string_view{};
  return fallback.empty() ? entry_->name : fallback;
}

// What it did stays known.
void output::end_method() noexcept {
  keep_changes(method_ ? method_->changes() : nullptr, changes_);
  method_.reset();
}

file_statistics output::statistics() const {
  const change_log* const running = method_ ? method_->changes() : nullptr;
  return shares_.statistics(written(), running != nullptr ? *running : changes_);
}

void output::print_log() const noexcept try {
  if (is_log_wanted() && !path_.empty()) detail::print_log("wrote", path_, statistics());
} catch (const std::bad_alloc&) {  // no memory for the line
}

}  // namespace freshet::detail
