// How an output opens its file and chooses its method and its block size.
#include <algorithm>
#include <limits>
#include <string>

#include "src/base/refusal.hpp"
#include "src/base/temporary_file.hpp"
#include "src/method/device_speeds.hpp"
#include "src/method/transfer.hpp"
#include "src/profile/profile_lookup.hpp"
#include "src/sink/output.hpp"

namespace freshet::detail {
namespace {

const method_entry& named_method(const std::string& path, const writer_options& options) {
  const auto* entry = find_method(options.method);
  if (entry == nullptr)
    refuse(path, std::errc::invalid_argument,
           "no method '" + std::string{options.method} + "'; the methods are: " + method_names());
  if (!entry->keeps_order && options.ordered)
    refuse(path, std::errc::invalid_argument,
           std::string{entry->name} + " cannot keep order: it needs ordered = false");
  return *entry;
}

os::open_request request_for(const writer_options& options, bool read) {
  using disposition = os::open_request::disposition;
  os::open_request request{
      .read = read, .synchronous = options.durability == durability::each_write, .follow_links = options.follow_links};
  switch (options.mode) {
    case open_mode::truncate:
      request.creation = disposition::truncate;
      break;
    case open_mode::append:
      request.creation = disposition::create;
      request.append = true;
      break;
    case open_mode::create_new:
      request.creation = disposition::create_new;
      break;
    case open_mode::overwrite:
      request.creation = disposition::create;
      break;
  }
  return request;
}

// Whether the last part of the path is a symbolic link.
bool is_link(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_symlink(path, error);
}

// Resolves symbolic links, even to a file that does not exist: a hidden file replaces the link's target, not the link.
std::filesystem::path without_links(std::filesystem::path path) {
  std::error_code error;
  for (int links = 0; links < 40 && std::filesystem::is_symlink(path, error); ++links)
    path = directory_of(path) / std::filesystem::read_symlink(path, error);
  return path;
}

}  // namespace

output::output(const std::string& path, const writer_options& options)
    : path_{path}, options_{options}, strict_{options.method != "auto"}, limit_{options.rate_limit} {
  entry_ = strict_ ? &named_method(path, options_) : find_method("buffered");
}

std::unique_ptr<output> output::open(const std::string& path, const writer_options& options) {
  std::unique_ptr<output> opened{new output{path, options}};
  if (opened->entry_->needs_file) {
    if (is_to_be_hidden(options))
      opened->open_hidden();
    else if (options.temporary)
      opened->open_temporary();
    else
      opened->open_file(request_for(opened->options_, opened->entry_->needs_read));
  }
  if (!opened->entry_->needs_file) opened->status_.emplace();
  opened->choose_method();
  opened->take_first_block();
  opened->reserve_at_open();
  return opened;
}

std::unique_ptr<output> output::edit(const std::string& path, os::open_request request, const writer_options& options) {
  auto edit_options = options;
  edit_options.method = "buffered";
  edit_options.mode = request.append ? open_mode::append : open_mode::overwrite;
  request.synchronous = options.durability == durability::each_write;
  request.follow_links = options.follow_links;
  std::unique_ptr<output> opened{new output{path, edit_options}};
  opened->positioning_ = positioning::edited;
  options.temporary ? opened->open_temporary() : opened->open_file(request);
  opened->choose_method();
  opened->take_first_block();
  opened->reserve_at_open();
  return opened;
}

std::unique_ptr<output> output::adopt(int descriptor, bool owned, const writer_options& options) {
  std::unique_ptr<output> opened{new output{{}, options}};
  std::error_code error;
  opened->file_ = os::file::wrap(descriptor, owned);
  uninterrupted(error, [&] { opened->status_ = opened->file_.status(error); });
  if (!error && !opened->file_.is_writable()) error = std::make_error_code(std::errc::bad_file_descriptor);
  if (error)
    throw freshet::error{error, "open", {}, freshet::error::no_offset, "descriptor " + std::to_string(descriptor)};
  opened->positioning_ = positioning::sequential;
  opened->choose_method();
  opened->take_first_block();
  return opened;
}

void output::open_file(os::open_request request) {
  std::error_code error;
  // Only the open file tells whether a method works here, and existing content must survive a refusal.
  const bool may_be_refused = strict_ || options_.caching == caching::bypass;
  if (may_be_refused && options_.mode == open_mode::truncate) request.creation = os::open_request::disposition::create;
  if (options_.delete_on_close) {
    deletion_ = std::make_unique<deletion>();
    file_ = deletion_->create(path_, request, error);
  } else {
    file_ = os::file::open(path_, request, error);
  }
  if (!error && options_.access == access::random)
    uninterrupted(error, [&] { file_.advise(os::advice::random, 0, 0, error); });
  if (!error && options_.access == access::once)
    uninterrupted(error, [&] { file_.advise(os::advice::no_reuse, 0, 0, error); });
  if (error) throw freshet::error{error, "open", path_};
  synchronous_ = request.synchronous;
  if (is_durable_at_close())
    uninterrupted(error, [&] { directory_ = os::directory::open(directory_of(path_), error); });
  if (error) throw freshet::error{error, "open the directory of", path_};
  if (may_defer_stat()) return;
  stat_file();
  if (options_.mode == open_mode::append && is_regular()) {
    window_.move_to(status_->size);
    written_ = status_->size;
  }
  if (is_durable_each_write() && is_regular()) sync_entry();
  if (failure()) throw failure_as_error();
}

// A file that ends before its first block is full is written in the same way whatever it is and whatever its profile
// says, so it need not be known.
bool output::may_defer_stat() const noexcept {
  const bool starts_empty = options_.mode == open_mode::truncate || options_.mode == open_mode::create_new;
  return starts_empty && !strict_ && !is_durable_each_write() && options_.caching == caching::automatic;
}

// Returns false on failure.
bool output::stat_file() noexcept {
  if (status_ || failure()) return !failure();
  std::error_code error;
  os::file_status status;
  uninterrupted(error, [&] { status = file_.status(error); });
  if (error) {
    fail("open", error);
    return false;
  }
  status_ = status;
  if (options_.mode == open_mode::append || !is_regular()) positioning_ = positioning::sequential;
  if (!may_defer_stat()) return true;
  try {
    choose_by_profile();
    block_size_ = std::max(block_size_, block_.size());  // the first block is being filled
  } catch (const std::bad_alloc&) {
    fail("open", std::make_error_code(std::errc::not_enough_memory));
  }
  return !failure();
}

void output::open_hidden() {
  std::error_code error;
  bool replaces = false;
  if (options_.mode == open_mode::create_new) {
    if (std::filesystem::exists(std::filesystem::symlink_status(path_, error)))
      refuse(path_, std::errc::file_exists, {});
  } else {
    if (!options_.follow_links && is_link(path_)) refuse(path_, std::errc::too_many_symbolic_link_levels, {});
    path_ = without_links(path_).native();
    const auto existing = std::filesystem::status(path_, error);
    if (error == std::errc::too_many_symbolic_link_levels) throw freshet::error{error, "open", path_};
    if (std::filesystem::is_directory(existing)) refuse(path_, std::errc::is_a_directory, {});
    replaces = std::filesystem::exists(existing);
    if (replaces && !std::filesystem::is_regular_file(existing))
      refuse(path_, std::errc::invalid_argument, "hidden_until_closed and atomic can replace only a regular file");
  }
  auto request = request_for(options_, true);
  if (replaces) request.permissions = 0600;  // the other file may be secret
  file_ = publisher_.open_hidden(path_, request, error);
  if (error) throw freshet::error{error, "open", path_};
  synchronous_ = request.synchronous;
  if (!may_defer_stat() && !stat_file()) throw failure_as_error();
}

void output::open_temporary() {
  std::error_code error;
  scratch_ = std::make_unique<scratch_file>();
  file_ = scratch_->open(path_, options_.temporary_memory, error);
  if (error) throw freshet::error{error, "open a temporary file in", path_};
  entry_durable_ = true;  // there is none
  if (!stat_file()) throw failure_as_error();
}

// Moves the file out of memory before it becomes larger than it may be there: as long as `end`.
void output::leave_memory_before(std::uint64_t end) noexcept {
  if (!is_in_memory() || end <= options_.temporary_memory || failure()) return;
  std::error_code error;
  if (method_) method_->drain(error);
  if (error) return fail("write", error);
  written_ = written();
  end_method();
  scratch_->spill(file_, error);
  if (error) return fail("move from memory into the directory", error);
  status_.reset();
  if (!stat_file()) return;
  try {
    entry_ = find_method("buffered");
    choose_method();
    block_size_ = std::max(block_size_, block_.size());
  } catch (const std::bad_alloc&) {
    fail("write", std::make_error_code(std::errc::not_enough_memory));
  }
}

// The name comes after the data and before the directory is synced, so that a visible file is always complete.
void output::publish() noexcept {
  std::error_code error;
  publisher_.publish(file_, options_.mode != open_mode::create_new, error);
  if (error) return fail("give its name to", error);
  if (is_durable_at_close()) sync_entry();
}

void output::empty_if_asked() {
  if (status_->size == 0 || options_.mode != open_mode::truncate) return;
  std::error_code error;
  uninterrupted(error, [&] { file_.set_size(0, error); });
  if (error) throw freshet::error{error, "empty", path_};
}

void output::choose_method() {
  if (positioning_ == positioning::sequential) {
    entry_ = find_method("buffered");
    strict_ = false;
  }
  if (options_.caching == caching::bypass) return choose_direct();
  if (!strict_) return choose_by_profile();
  if (const auto reason = entry_->why_not(file_); !reason.empty())
    refuse(path_, std::errc::operation_not_supported, std::string{entry_->name} + " is not available here: " + reason);
  empty_if_asked();
  choose_sizes(*entry_, 0, 0);
}

void output::choose_direct() {
  if (!is_regular()) refuse(path_, std::errc::operation_not_supported, "only regular files can bypass the page cache");
  entry_ = usable_direct_method(file_);
  if (entry_ == nullptr)
    refuse(path_, std::errc::operation_not_supported,
           "the file cannot bypass the page cache: " + find_method("direct")->why_not(file_));
  strict_ = true;
  empty_if_asked();
  choose_sizes(*entry_, 0, 0);
}

void output::choose_by_profile() {
  // Also appends, and what comes through a descriptor; pipes and devices have no pages.
  constexpr std::size_t dropped_block = std::size_t{1} << 20;  // which the kernel begins to write at once
  if (options_.caching == caching::drop && is_regular()) {
    entry_ = find_method("writebehind");
    return choose_sizes(*entry_, dropped_block, 0);
  }
  if (options_.caching != caching::automatic || is_in_memory()) return choose_sizes(*entry_, 0, 0);
  if (!status_ || positioning_ == positioning::sequential) return choose_sizes(*entry_, 0, 0);
  const auto profiled = profiled_settings(file_, status_->device, options_.durability);
  if (profiled)
    if (const auto* winner = find_method(profiled->method); winner != nullptr && winner->keeps_order) entry_ = winner;
  if (!profiled) {
    begin_as_last_time();
    return choose_sizes(*entry_, 0, 0);
  }
  if (profiled->provisional.empty() && !entry_->changes)
    expected_ =
        profiled->slowest_expected > 0 ? profiled->slowest_expected * 1e6 : std::numeric_limits<double>::infinity();
  choose_sizes(*entry_, profiled->block, profiled->depth);
}

// Without a profile, by the last method of an earlier file of this process.
void output::begin_as_last_time() {
  const shared_device* const device = adapts() ? shared_device::find(status_->device) : nullptr;
  if (device == nullptr || device->last_way() == way::cached) return;
  if (const method_entry* const direct = usable_direct_method(file_); direct != nullptr) entry_ = direct;
}

void output::choose_sizes(const method_entry& entry, std::size_t profiled_block, unsigned profiled_depth) {
  const auto first_set = [](auto a, auto b, auto c) { return a != 0 ? a : b != 0 ? b : c; };
  block_size_ = std::min(first_set(options_.block, profiled_block, entry.good_block), limit_.largest_piece());
  depth_ = first_set(options_.depth, profiled_depth, entry.good_depth);
}

void output::reserve_at_open() {
  std::error_code error;
  reserve(options_.reserve, error);
  if (!error) return;
  std::error_code ignored;
  uninterrupted(ignored, [&] { file_.free_preallocation(status_ ? status_->size : 0, ignored); });
  throw freshet::error{error, "reserve space for", path_};
}

void output::take_first_block() {
  // Starting small saves nothing without a file.
  block_ = pool::take(entry_->needs_file ? std::min(block_size_, first_block) : block_size_);
  if (!block_) refuse(path_, std::errc::not_enough_memory, {});
  show_block();
  if (!entry_->needs_file) start_method();
}

}  // namespace freshet::detail
