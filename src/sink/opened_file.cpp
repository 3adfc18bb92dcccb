#include "src/sink/opened_file.hpp"

#include <filesystem>

#include "src/base/refusal.hpp"
#include "src/base/temporary_file.hpp"
#include "src/method/transfer.hpp"

namespace freshet::detail {
namespace {

os::open_request request_for(const writer_options& options, bool read) {
  using disposition = os::open_request::disposition;
  os::open_request request{.read = read,
                           .synchronous = options.durability == durability::each_write && os::has_synchronous_writes(),
                           .follow_links = options.follow_links,
                           .random = options.access == access::random,
                           .once = options.access == access::once};
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
bool is_link(const native_string& path) {
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

// Whether the file can be written at the descriptor's own position, whatever it is.
bool needs_no_status(const writer_options& options) noexcept {
  const bool is_new = options.mode == open_mode::truncate || options.mode == open_mode::create_new;
  return options.method == "auto" && is_new && options.durability != durability::each_write &&
         options.caching < caching::drop;
}

bool is_durable_at_close(const writer_options& options) noexcept {
  return options.durability != durability::none || options.atomic;
}

}  // namespace

void opened_file::open(bool read, bool keeps_content) {
  if (is_to_be_hidden(options_)) return open_hidden();
  if (options_.temporary) return open_temporary();
  auto request = request_for(options_, read);
  if (keeps_content && options_.mode == open_mode::truncate) request.creation = os::open_request::disposition::create;
  open_named(request);
}

void opened_file::open_to_edit(const os::open_request& request) {
  options_.temporary ? open_temporary() : open_named(request);
}

void opened_file::adopt(native_handle_type descriptor, bool owned) {
  std::error_code error;
  file_ = os::file::wrap(descriptor, owned);
  stat(error);
  if (!error && !file_.is_writable()) error = std::make_error_code(std::errc::bad_file_descriptor);
  if (error) throw freshet::error{error, "open", {}, freshet::error::no_offset, name_of_handle(descriptor)};
}

void opened_file::open_named(os::open_request request) {
  std::error_code error;
  if (options_.delete_on_close && os::deletes_on_close) {
    request.creation = os::open_request::disposition::create_new;
    request.delete_on_close = true;
    file_ = os::file::open(path_, request, error);
  } else if (options_.delete_on_close) {
    deletion_ = std::make_unique<deletion>();
    file_ = deletion_->create(path_, request, error);
  } else {
    file_ = os::file::open(path_, request, error);
  }
  if (error) throw freshet::error{error, "open", path_};
  std::error_code ignored;  // the system may refuse these hints
  if (options_.access == access::random) file_.advise(os::advice::random, 0, 0, ignored);
  if (options_.access == access::once) file_.advise(os::advice::no_reuse, 0, 0, ignored);
  synchronous_ = request.synchronous;
  if (is_durable_at_close(options_))
    uninterrupted(error, [&] { directory_ = os::directory::open(directory_of(path_), error); });
  if (error) throw freshet::error{error, "open the directory of", path_};
}

void opened_file::open_hidden() {
  std::error_code error;
  bool replaces = false;
  // What open() would refuse must not wait until the file gets its name.
  const auto existing = std::filesystem::symlink_status(path_, error);
  if (error && (path_.empty() || error != std::errc::no_such_file_or_directory))
    throw freshet::error{error, "open", path_};
  if (!std::filesystem::path{path_}.has_filename()) refuse(path_, std::errc::is_a_directory, {});
  if (options_.mode == open_mode::create_new) {
    if (std::filesystem::exists(existing)) refuse(path_, std::errc::file_exists, {});
  } else {
    if (!options_.follow_links && is_link(path_)) refuse(path_, std::errc::too_many_symbolic_link_levels, {});
    path_ = without_links(path_).native();
    const auto target = std::filesystem::status(path_, error);
    if (error == std::errc::too_many_symbolic_link_levels) throw freshet::error{error, "open", path_};
    if (std::filesystem::is_directory(target)) refuse(path_, std::errc::is_a_directory, {});
    replaces = std::filesystem::exists(target);
    if (replaces && !std::filesystem::is_regular_file(target))
      refuse(path_, std::errc::invalid_argument, "hidden_until_closed and atomic can replace only a regular file");
  }
  auto request = request_for(options_, true);
  if (replaces) request.permissions = 0600;  // the other file may be secret
  file_ = publisher_.open_hidden(path_, request, error);
  if (error) throw freshet::error{error, "open", path_};
  synchronous_ = request.synchronous;
}

void opened_file::open_temporary() {
  std::error_code error;
  scratch_ = std::make_unique<scratch_file>();
  file_ = scratch_->open(path_, options_.temporary_memory, error);
  if (error) throw freshet::error{error, "open a temporary file in", path_};
  entry_durable_ = true;  // there is none
}

void opened_file::empty() {
  if (!is_regular() || status_->size == 0 || options_.mode != open_mode::truncate) return;
  std::error_code error;
  uninterrupted(error, [&] { file_.set_size(0, error); });
  if (error) throw freshet::error{error, "empty", path_};
}

void opened_file::stat(std::error_code& error) noexcept {
  os::file_status status;
  uninterrupted(error, [&] { status = file_.status(error); });
  // A device that cannot tell it may not keep what is written either.
  is_unknown_ = error && error != std::errc::io_error && needs_no_status(options_);
  if (is_unknown_) error.clear();
  if (!error) status_ = status;
}

std::uint64_t opened_file::size(std::error_code& error) const noexcept {
  os::file_status now;
  uninterrupted(error, [&] { now = file_.status(error); });
  return now.size;
}

void opened_file::leave_memory(std::error_code& error) noexcept {
  scratch_->spill(file_, error);
  if (!error) status_.reset();
}

void opened_file::copy_attributes(std::error_code& error) noexcept {
  error.clear();
  if (options_.mode != open_mode::create_new) has_new_attributes_ = publisher_.copy_attributes(file_, error);
}

// The name comes after the data and before the directory is synced, so that a visible file is always complete.
void opened_file::publish(std::error_code& error) noexcept {
  publisher_.publish(file_, options_.mode != open_mode::create_new, error);
}

bool opened_file::sync_data(std::error_code& error) noexcept {
  uninterrupted(error, [&] { has_new_attributes_ ? file_.sync(error) : file_.sync_data(error); });
  if (error == std::errc::invalid_argument && !may_be_regular()) {
    error.clear();
    return false;
  }
  if (!error) has_new_attributes_ = false;
  return true;
}

bool opened_file::needs_entry_sync() const noexcept {
  return !entry_durable_ && may_be_regular() && !path_.empty() && !publisher_.is_pending();
}

void opened_file::sync_entry(std::error_code& error) noexcept {
  error.clear();
  // sync() may be called for files that are not opened to be durable. Their path may mean another file by now.
  if (!directory_.is_open() && !publisher_.directory().is_open())
    uninterrupted(error, [&] { directory_ = os::directory::containing(file_, path_, error); });
  const auto& directory = directory_.is_open() ? directory_ : publisher_.directory();
  if (!error) uninterrupted(error, [&] { directory.sync(error); });
  if (!error) entry_durable_ = true;
}

void opened_file::remove_if_asked(std::error_code& error) noexcept {
  error.clear();
  if (deletion_ && deletion_->is_pending()) deletion_->remove(error);
}

void opened_file::close(std::error_code& error) noexcept {
  publisher_.discard();
  file_.close(error);
  scratch_.reset();
  deletion_.reset();
}

}  // namespace freshet::detail
