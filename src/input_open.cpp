// How an input comes to its file, its method and its sizes.
#include <algorithm>
#include <bit>
#include <new>
#include <string>

#include "src/input.hpp"
#include "src/method/transfer.hpp"
#include "src/profile_lookup.hpp"

namespace freshet::detail {
namespace {

constexpr std::size_t random_block = std::size_t{16} << 10;

[[noreturn]] void refuse(const std::filesystem::path& path, std::errc why, std::string_view detail) {
  throw error{std::make_error_code(why), "open", path, error::no_offset, detail};
}

void check(const std::filesystem::path& path, const reader_options& options) {
  if (options.block != 0 &&
      (!std::has_single_bit(options.block) || options.block < smallest_block || options.block > largest_block))
    refuse(path, std::errc::invalid_argument, "block must be a power of two from 4 KiB to 64 MiB");
  if (options.depth > 64) refuse(path, std::errc::invalid_argument, "depth must be at most 64");
}

const method_entry& named_method(const std::filesystem::path& path, std::string_view name) {
  const auto* entry = find_method(name);
  if (entry == nullptr)
    refuse(path, std::errc::invalid_argument,
           "no method '" + std::string{name} + "'; there are: " + reading_method_names());
  if (entry->make_reading == nullptr)
    refuse(path, std::errc::invalid_argument,
           std::string{name} + " does not read; these do: " + reading_method_names());
  return *entry;
}

}  // namespace

input::input(const std::filesystem::path& path, const reader_options& options)
    : path_{path.native()}, options_{options}, strict_{options.method != "auto"} {
  check(path, options_);
  entry_ = strict_ ? &named_method(path, options_.method) : find_method("buffered");
}

std::unique_ptr<input> input::open(const std::filesystem::path& path, const reader_options& options) {
  std::unique_ptr<input> opened{new input{path, options}};
  std::error_code error;
  opened->file_ =
      os::file::open(path, {.what = os::open_request::disposition::existing, .read = true, .write = false}, error);
  if (error) throw freshet::error{error, "open", path};
  opened->choose_sizes(0, 0);
  std::error_code ignored;  // a hint, which pipes do not take
  if (options.access == access::random) opened->file_.advise(os::advice::random, 0, 0, ignored);
  if (opened->entry_->name != "buffered") opened->start_named_method();
  return opened;
}

std::unique_ptr<input> input::adopt(int descriptor, bool owned, const reader_options& options) {
  std::unique_ptr<input> opened{new input{{}, options}};
  opened->wrap(descriptor, owned);
  if (opened->sequential_only_) return opened;
  std::error_code error;
  opened->offset_ = opened->file_.position(error);
  if (error) throw freshet::error{error, "open", {}, freshet::error::no_offset, "descriptor"};
  opened->moves_position_ = !owned;
  return opened;
}

std::unique_ptr<input> input::share(int descriptor, const std::filesystem::path& path, const reader_options& options) {
  std::unique_ptr<input> opened{new input{path, options}};
  opened->wrap(descriptor, false);
  opened->shared_ = true;
  return opened;
}

// Not its file alone: flags that a method would set are others', too.
void input::wrap(int descriptor, bool owned) {
  entry_ = find_method("buffered");
  strict_ = true;
  choose_sizes(0, 0);
  file_ = os::file::wrap(descriptor, owned);
  const bool there = look();
  if (!there || !file_.is_readable())
    throw freshet::error{there ? std::make_error_code(std::errc::bad_file_descriptor) : failure_, "open", path_,
                         freshet::error::no_offset, "descriptor " + std::to_string(descriptor)};
}

// Whether it works here shows on the open file. What has no offsets is read by the only method for that.
void input::start_named_method() {
  if (!look()) throw failure_as_error();
  if (opened_.kind == os::file_kind::directory) refuse(path_, std::errc::is_a_directory, {});
  if (opened_.kind != os::file_kind::regular) {
    entry_ = find_method("buffered");
  } else if (const auto reason = entry_->why_not(file_); !reason.empty()) {
    refuse(path_, std::errc::operation_not_supported, std::string{entry_->name} + " is not available here: " + reason);
  }
  choose_sizes(0, 0);
  settle();
}

// At what was opened; false when that fails.
bool input::look() noexcept {
  if (looked_ || failure_) return !failure_;
  looked_ = true;
  std::error_code error;
  uninterrupted(error, [&] { opened_ = file_.status(error); });
  if (error) {
    fail("open", error);
    return false;
  }
  using kind = os::file_kind;
  sequential_only_ =
      opened_.kind == kind::pipe || opened_.kind == kind::socket || opened_.kind == kind::character_device;
  if (opened_.kind == kind::regular) known_size_ = opened_.size;
  return true;
}

// A file that ends before its first block is full is read alike whatever it is and whatever its profile says, and
// costs no more than open, two reads and close.
bool input::start() noexcept {
  if (failure_ || !open_) return false;
  if (settled_) return true;
  try {
    const std::size_t first = std::min(block_size_, first_block);
    if (offset_ >= first || looked_) {
      settle();
    } else if (!method_) {
      method_ = make_buffered_reading(file_, {.block = first, .at_own_position = true});
    }
    return !failure_;
  } catch (const std::bad_alloc&) {
    fail("read", std::make_error_code(std::errc::not_enough_memory));
    return false;
  }
}

// On the method to stay.
void input::settle() {
  if (!look()) return;
  if (!strict_ && options_.access == access::sequential && opened_.kind == os::file_kind::regular) choose_by_profile();
  method_ = entry_->make_reading(file_, {.block = block_size_,
                                         .depth = entry_->asynchronous ? depth_ : 1,
                                         .at_own_position = sequential_only_,
                                         .strict = strict_});
  settled_ = true;
}

void input::choose_by_profile() {
  const auto profiled = profiled_reading(file_, opened_.device);
  const auto& settings = profiled.cold == profiled.warm || !is_mostly_cached() ? profiled.cold : profiled.warm;
  if (!settings) return;
  const auto* winner = find_method(settings->method);
  if (winner != nullptr && winner->make_reading != nullptr && winner->reads_unasked)
    entry_ = &usable_reading_method(*winner, file_);
  choose_sizes(settings->block, settings->depth);
  // What the file does not need is not worth having, or waiting for.
  block_size_ = std::min(block_size_, std::max(first_block, static_cast<std::size_t>(std::bit_ceil(known_size_))));
  depth_ = static_cast<unsigned>(std::min<std::uint64_t>(depth_, known_size_ / block_size_ + 1));
}

// As its beginning shows.
bool input::is_mostly_cached() const {
  constexpr std::uint64_t beginning = std::uint64_t{16} << 20;
  std::error_code error;
  os::residency found;
  uninterrupted(error, [&] { found = file_.cached(error, beginning); });
  return !error && found.cached * 2 >= found.pages;
}

void input::choose_sizes(std::size_t profiled_block, unsigned profiled_depth) {
  const auto first_set = [](auto a, auto b, auto c) { return a != 0 ? a : b != 0 ? b : c; };
  const std::size_t good_block = !strict_ && options_.access == access::random ? random_block : entry_->good_block;
  block_size_ = first_set(options_.block, profiled_block, good_block);
  depth_ = first_set(options_.depth, profiled_depth, entry_->good_depth);
}

}  // namespace freshet::detail
