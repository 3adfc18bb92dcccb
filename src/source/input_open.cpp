// How an input opens its file, and begins to read it.
#include <algorithm>
#include <limits>
#include <new>

#include "src/base/refusal.hpp"
#include "src/method/transfer.hpp"
#include "src/source/input.hpp"

namespace freshet::detail {
namespace {

// No file is larger: offsets are signed (off_t).
constexpr std::uint64_t largest_offset = std::numeric_limits<std::int64_t>::max();

}  // namespace

input::input(const native_string& path, const reader_options& options)
    : source{path}, options_{options}, limit_{options.rate_limit}, plan_{path, options, limit_.largest_piece()} {}

std::unique_ptr<input> input::open(const native_string& path, const reader_options& options) {
  std::unique_ptr<input> opened{new input{path, options}};
  std::error_code error;
  opened->file_ = os::file::open(path,
                                 {.creation = os::open_request::disposition::existing,
                                  .read = true,
                                  .write = false,
                                  .random = options.access == access::random,
                                  .once = options.access == access::once},
                                 error);
  if (error) throw freshet::error{error, "open", path};
  // A device by another name shows itself after the first block: asking what each file is would cost a call.
  if (os::may_be_device(path) && !opened->stat_file()) throw opened->failure_as_error();
  std::error_code ignored;  // pipes refuse this hint
  if (options.access == access::random) opened->file_.advise(os::advice::random, 0, 0, ignored);
  if (options.access == access::once) opened->file_.advise(os::advice::no_reuse, 0, 0, ignored);
  if (opened->plan_.needs_status() && !opened->stat_file()) throw opened->failure_as_error();
  opened->plan_.choose(path, opened->file_, opened->status_);
  if (opened->plan_.entry != &buffered_method) opened->start_final_method();
  return opened;
}

std::unique_ptr<input> input::adopt(native_handle_type descriptor, bool owned, const reader_options& options) {
  std::unique_ptr<input> opened{new input{{}, options}};
  opened->wrap(descriptor, owned);
  if (opened->positioning_ == positioning::descriptors) return opened;
  std::error_code error;
  opened->window_.move_to(opened->file_.position(error));
  if (error == std::errc::invalid_seek) opened->read_in_order();
  if (opened->positioning_ == positioning::descriptors) return opened;
  if (error) throw freshet::error{error, "open", {}, freshet::error::no_offset, "descriptor"};
  opened->moves_position_ = !owned;
  return opened;
}

std::unique_ptr<input> input::share(native_handle_type descriptor, const native_string& path,
                                    const reader_options& options) {
  std::unique_ptr<input> opened{new input{path, options}};
  opened->wrap(descriptor, false);
  opened->shared_ = true;
  return opened;
}

// Reads by "buffered" only, because the flags that other methods set would also apply to other users of the open file.
void input::wrap(native_handle_type descriptor, bool owned) {
  plan_.choose_buffered();
  file_ = os::file::wrap(descriptor, owned);
  descriptor_is_direct_ = file_.is_direct();
  const bool valid = stat_file();
  if (!valid || !file_.is_readable())
    throw freshet::error{valid ? std::make_error_code(std::errc::bad_file_descriptor) : failure_, "open", path_,
                         freshet::error::no_offset, name_of_handle(descriptor)};
}

// Returns false on failure.
bool input::stat_file() noexcept {
  if (status_ || failure_) return !failure_;
  std::error_code error;
  os::file_status status;
  uninterrupted(error, [&] { status = file_.status(error); });
  // Without it, the file is read as what it shows itself to be.
  if (!plan_.needs_status() && error != std::errc::bad_file_descriptor) error.clear();
  if (error) {
    fail("open", error);
    return false;
  }
  status_ = status;
  using kind = os::file_kind;
  if (status.kind == kind::pipe || status.kind == kind::socket || status.kind == kind::character_device)
    read_in_order();
  if (!os::has_size(status.kind)) return true;
  check_size(status.size);
  known_size_ = std::max(known_size_, status.size);
  return !failure_;
}

void input::read_in_order() noexcept {
  positioning_ = positioning::descriptors;
  plan_.choose_in_order();
  // Blocks that were read at offsets did not move the position.
  std::error_code ignored;  // some devices have none
  if (window_.end() != 0) uninterrupted(ignored, [&] { file_.set_position(window_.end(), ignored); });
}

// Pipes and terminals show themselves by refusing the first read, which names an offset. So do some files below /proc
// and /sys that say they are regular. Returns whether to repeat that read.
bool input::has_no_offsets(std::error_code error) noexcept {
  const bool is_first = window_.offset() == 0 && all_bytes_ == 0 && !shared_;
  if (error != std::errc::invalid_seek || positioning_ == positioning::descriptors || !is_first) return false;
  read_in_order();
  is_final_method_ = false;
  method_.reset();
  return start();
}

// The first block is read by "buffered", without a look at the file's kind or its profile: a file that ends in it costs
// no more than open, two reads and close.
bool input::start() noexcept {
  // A pipe that does not wait had no data, and may have some now.
  if (failure_ == std::errc::resource_unavailable_try_again && positioning_ == positioning::descriptors)
    failure_.clear();
  if (failure_ || !open_ || window_.offset() > largest_offset) return false;
  if (is_final_method_) return true;
  try {
    const std::size_t first = std::min(plan_.block, small_file);
    if (window_.offset() >= first || status_ || options_.caching == caching::drop)
      start_final_method();
    else if (!method_)
      method_ = make_buffered_reading(file_, setup_of_block(first));
    return !failure_;
  } catch (const std::bad_alloc&) {
    fail("read", std::make_error_code(std::errc::not_enough_memory));
    return false;
  }
}

void input::start_final_method() {
  if (!stat_file()) return;
  method_ = plan_.make_method(file_, *status_, setup_of_block(plan_.block));
  is_final_method_ = true;
  if (all_bytes_ > 0) history_.add(buffered_method.name, all_bytes_, 0);  // the first block
}

read_setup input::setup_of_block(std::size_t block) const noexcept {
  return {.block = block,
          .at_own_position = positioning_ != positioning::own,
          .descriptor_is_direct = descriptor_is_direct_,
          .size = known_size_};
}

}  // namespace freshet::detail
