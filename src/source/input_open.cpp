// How an input opens its file and chooses its method and its block size.
#include <algorithm>
#include <bit>
#include <limits>
#include <new>
#include <string>

#include "src/base/refusal.hpp"
#include "src/method/transfer.hpp"
#include "src/profile/profile_lookup.hpp"
#include "src/source/input.hpp"

namespace freshet::detail {
namespace {

// No file is larger: offsets are signed (off_t).
constexpr std::uint64_t largest_offset = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t random_block = std::size_t{16} << 10;

const method_entry& named_method(const native_string& path, std::string_view name) {
  const auto* entry = find_method(name);
  if (entry == nullptr)
    refuse(path, std::errc::invalid_argument,
           "no method '" + std::string{name} + "'; the methods that read are: " + reading_method_names());
  if (entry->make_reading == nullptr)
    refuse(path, std::errc::invalid_argument,
           std::string{name} + " does not read; the methods that read are: " + reading_method_names());
  return *entry;
}

// A method that the profile names, or what replaces it here; none if it names none, or leaves it to `adaptive`.
read_choice choice_of(const std::optional<read_settings>& settings, const os::file& source) {
  const method_entry* const winner = settings ? find_method(settings->method) : nullptr;
  if (winner == nullptr || winner->make_reading == nullptr || !winner->reads_unasked || winner->changes) return {};
  return {&usable_reading_method(*winner, source), settings->block, settings->depth};
}

}  // namespace

input::input(const native_string& path, const reader_options& options)
    : source{path},
      options_{options},
      entry_{options.method != "auto" ? &named_method(path, options.method) : &buffered_method},
      strict_{options.method != "auto" || options.caching != caching::automatic},
      limit_{options.rate_limit} {}

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
  opened->choose_sizes(0, 0);
  // A device by another name shows itself after the first block: asking what each file is would cost a call.
  if (os::may_be_device(path) && !opened->stat_file()) throw opened->failure_as_error();
  std::error_code ignored;  // pipes refuse this hint
  if (options.access == access::random) opened->file_.advise(os::advice::random, 0, 0, ignored);
  if (options.access == access::once) opened->file_.advise(os::advice::no_reuse, 0, 0, ignored);
  if (options.caching == caching::bypass) opened->choose_direct();
  if (options.caching == caching::drop) opened->require_dropping();
  if (opened->entry_ != &buffered_method) opened->start_named_method();
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
  entry_ = &buffered_method;
  strict_ = true;
  choose_sizes(0, 0);
  file_ = os::file::wrap(descriptor, owned);
  descriptor_is_direct_ = file_.is_direct();
  const bool valid = stat_file();
  if (!valid || !file_.is_readable())
    throw freshet::error{valid ? std::make_error_code(std::errc::bad_file_descriptor) : failure_, "open", path_,
                         freshet::error::no_offset, name_of_handle(descriptor)};
}

// Whether the method works here is known once the file is open. Files without offsets are read by "buffered".
void input::start_named_method() {
  if (!stat_file()) throw failure_as_error();
  if (status_->kind == os::file_kind::directory) refuse(path_, std::errc::is_a_directory, {});
  if (status_->kind != os::file_kind::regular)
    entry_ = &buffered_method;
  else if (const auto reason = why_not_reading(*entry_, file_); !reason.empty())
    refuse(path_, std::errc::operation_not_supported, std::string{entry_->name} + " is not available here: " + reason);
  choose_sizes(0, 0);
  start_final_method();
}

void input::choose_direct() {
  if (!stat_file()) throw failure_as_error();
  if (status_->kind == os::file_kind::directory) refuse(path_, std::errc::is_a_directory, {});
  if (status_->kind != os::file_kind::regular)
    refuse(path_, std::errc::operation_not_supported, "only regular files can bypass the page cache");
  entry_ = &usable_reading_method(*direct_methods().front(), file_);
  if (!entry_->direct)
    refuse(path_, std::errc::operation_not_supported,
           "the file cannot bypass the page cache: " + direct_method.why_not(file_));
}

void input::require_dropping() {
  if (!stat_file()) throw failure_as_error();
  if (const auto reason = why_not_dropping(file_); !reason.empty())
    refuse(path_, std::errc::operation_not_supported, "the file cannot leave the page cache: " + reason);
}

// Returns false on failure.
bool input::stat_file() noexcept {
  if (status_ || failure_) return !failure_;
  std::error_code error;
  os::file_status status;
  uninterrupted(error, [&] { status = file_.status(error); });
  // Without it, the file is read as what it shows itself to be.
  const bool is_needed = entry_ != &buffered_method || options_.caching > caching::keep;
  if (!is_needed && error != std::errc::bad_file_descriptor) error.clear();
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

// A device may wait until it has all bytes that a read asks for: no more than a program wants, or std's streams ask
// for.
void input::read_in_order() noexcept {
  positioning_ = positioning::descriptors;
  choose_sizes(0, 0);
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
    const std::size_t first = std::min(block_size_, small_file);
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
  read_setup setup = setup_of_block(block_size_);
  const bool is_free = !strict_ && options_.access != access::random && status_->kind == os::file_kind::regular;
  if (is_free) choose_by_profile(setup);
  // `adaptive` chooses the sizes that the user does not name.
  setup.block = entry_->changes && !limit_ ? options_.block : block_size_;
  setup.depth = entry_->changes ? options_.depth : entry_->asynchronous ? depth_ : 1;
  const bool drops = options_.caching == caching::drop && status_->kind == os::file_kind::regular;
  method_ = drops ? make_dropping_reading(file_, setup) : entry_->make_reading(file_, setup);
  is_final_method_ = true;
  if (all_bytes_ > 0) history_.add(buffered_method.name, all_bytes_, 0);  // the first block
}

read_setup input::setup_of_block(std::size_t block) const noexcept {
  return {.block = block,
          .at_own_position = positioning_ != positioning::own,
          .strict = strict_,
          .descriptor_is_direct = descriptor_is_direct_,
          .size = known_size_};
}

void input::choose_by_profile(read_setup& setup) {
  const auto profiled = profiled_reading(file_, status_->device);
  const bool is_fixed = (profiled.cold && profiled.cold->fixed) || (profiled.warm && profiled.warm->fixed);
  if (known_size_ >= worth_adapting && !is_fixed) {
    entry_ = &adaptive_method;
    if (options_.prior && are_priors_wanted())
      setup.prior = {.is_wanted = true,
                     .device = status_->device,
                     .profiled = profiled.cold ? profiled.cold->measured : measured_ways{}};
    setup.cold = choice_of(profiled.cold, file_);
    setup.warm = choice_of(profiled.warm, file_);
    return;
  }
  const auto& settings = profiled.cold == profiled.warm || !is_mostly_cached() ? profiled.cold : profiled.warm;
  if (!settings) return;
  if (const read_choice choice = choice_of(settings, file_); choice.entry != nullptr) entry_ = choice.entry;
  choose_sizes(settings->block, settings->depth);
  // Blocks larger than the file would take memory that is never used.
  block_size_ = std::min(block_size_, std::max(small_file, static_cast<std::size_t>(std::bit_ceil(known_size_))));
  depth_ = static_cast<unsigned>(std::min<std::uint64_t>(depth_, known_size_ / block_size_ + 1));
}

// Looks at the file's beginning only.
bool input::is_mostly_cached() const {
  constexpr std::uint64_t beginning = std::uint64_t{16} << 20;
  std::error_code error;
  os::residency residency;
  uninterrupted(error, [&] { residency = file_.cached(error, beginning); });
  return !error && residency.cached * 2 >= residency.pages;
}

void input::choose_sizes(std::size_t profiled_block, unsigned profiled_depth) noexcept {
  const auto first_set = [](auto a, auto b, auto c) { return a != 0 ? a : b != 0 ? b : c; };
  const bool is_named = options_.method != "auto";
  const std::size_t good_block = positioning_ == positioning::descriptors         ? first_block
                                 : !is_named && options_.access == access::random ? random_block
                                                                                  : entry_->good_block;
  block_size_ = std::min(first_set(options_.block, profiled_block, good_block), limit_.largest_piece());
  depth_ = first_set(options_.depth, profiled_depth, entry_->good_depth);
}

}  // namespace freshet::detail
