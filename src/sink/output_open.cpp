// How an output opens its file, and what it learns of it.
#include <algorithm>
#include <limits>
#include <string>

#include "src/base/refusal.hpp"
#include "src/method/transfer.hpp"
#include "src/sink/output.hpp"

namespace freshet::detail {

output::output(const native_string& path, const writer_options& options)
    : options_{options},
      target_{path, options},
      limit_{options.rate_limit},
      plan_{path, options, limit_.largest_piece()} {}

std::unique_ptr<output> output::open(const native_string& path, const writer_options& options) {
  std::unique_ptr<output> opened{new output{path, options}};
  const method_entry& entry = *opened->plan_.entry;
  // Only the open file tells whether a method works here, and existing content must survive a refusal.
  const bool may_be_refused = opened->plan_.strict || options.caching >= caching::drop;
  if (entry.needs_file)
    opened->target_.open(entry.needs_read, may_be_refused);
  else
    opened->target_.open_nothing();
  opened->learn_kind();
  opened->plan_.choose(opened->target_, opened->positioning_);
  if (may_be_refused) opened->target_.empty();
  opened->start();
  return opened;
}

std::unique_ptr<output> output::edit(const native_string& path, os::open_request request,
                                     const writer_options& options) {
  auto edit_options = options;
  edit_options.method = buffered_method.name;
  edit_options.mode = request.append ? open_mode::append : open_mode::overwrite;
  request.synchronous = options.durability == durability::each_write && os::has_synchronous_writes();
  request.follow_links = options.follow_links;
  request.sparse = true;
  std::unique_ptr<output> opened{new output{path, edit_options}};
  opened->positioning_ = positioning::edited;
  opened->target_.open_to_edit(request);
  opened->learn_kind();
  opened->plan_.choose(opened->target_, opened->positioning_);
  opened->start();
  return opened;
}

std::unique_ptr<output> output::adopt(native_handle_type descriptor, bool owned, const writer_options& options) {
  std::unique_ptr<output> opened{new output{{}, options}};
  opened->target_.adopt(descriptor, owned);
  opened->positioning_ = positioning::sequential;
  opened->plan_.choose(opened->target_, opened->positioning_);
  opened->start();
  return opened;
}

void output::learn_kind() {
  if (may_defer_stat() || !plan_.entry->needs_file) return;
  if (!stat_file()) throw failure_as_error();
  if (options_.mode == open_mode::append && target_.has_size()) {
    written_ = target_.status()->size;
    window_.move_to(written_);
  }
  if (is_durable_each_write() && target_.needs_entry_sync()) sync_entry();
  if (failure()) throw failure_as_error();
}

void output::start() {
  take_first_block();
  reserve_at_open();
}

// A file that ends before its first block is full is written in the same way whatever it is and whatever its profile
// says, so it need not be known.
bool output::may_defer_stat() const noexcept {
  const bool starts_empty = options_.mode == open_mode::truncate || options_.mode == open_mode::create_new;
  return starts_empty && !plan_.strict && !is_durable_each_write() && options_.caching == caching::automatic &&
         !options_.temporary;
}

// Returns false on failure.
bool output::stat_file() noexcept {
  if (target_.status() || failure()) return !failure();
  std::error_code error;
  target_.stat(error);
  if (error) {
    fail("open", error);
    return false;
  }
  if (target_.is_block_device())
    positioning_ = positioning::edited;
  else if (options_.mode == open_mode::append || !target_.is_regular())
    positioning_ = positioning::sequential;
  if (may_defer_stat()) choose_again("open");
  return !failure();
}

void output::choose_again(std::string_view operation) noexcept try {
  plan_.choose(target_, positioning_);
  plan_.block = std::max(plan_.block, block_.size());  // the first block is being filled
} catch (const std::bad_alloc&) {
  fail(operation, std::make_error_code(std::errc::not_enough_memory));
}

// Moves the file out of memory before it becomes larger than it may be there: as long as `end`.
void output::leave_memory_before(std::uint64_t end) noexcept {
  if (!target_.is_in_memory() || end <= options_.temporary_memory || failure()) return;
  std::error_code error;
  if (method_) method_->drain(error);
  if (error) return fail("write", error);
  written_ = written();
  end_method();
  target_.leave_memory(error);
  if (error) return fail("move from memory into the directory", error);
  own_position_ = std::numeric_limits<std::uint64_t>::max();  // that of another open file
  if (positioning_ == positioning::shared)
    uninterrupted(error, [&] { target_.file().set_position(window_.offset(), error); });
  if (error) return fail("seek in", error);
  if (stat_file()) choose_again("write");
}

void output::reserve_at_open() {
  std::error_code error;
  reserve(options_.reserve, error);
  if (!error) return;
  std::error_code ignored;
  const std::uint64_t size = target_.status() ? target_.status()->size : 0;
  uninterrupted(ignored, [&] { target_.file().free_preallocation(size, ignored); });
  throw freshet::error{error, "reserve space for", target_.path()};
}

void output::take_first_block() {
  // Starting small saves nothing without a file.
  block_ = pool::take(plan_.entry->needs_file ? std::min(plan_.block, first_block) : plan_.block);
  if (!block_) refuse(target_.path(), std::errc::not_enough_memory, {});
  show_block();
  if (!plan_.entry->needs_file) start_method();
}

}  // namespace freshet::detail
