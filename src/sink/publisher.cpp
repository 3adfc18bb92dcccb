#include "src/sink/publisher.hpp"

#include <new>
#include <tuple>

#include "src/base/temporary_file.hpp"
#include "src/method/transfer.hpp"

namespace freshet::detail {
namespace {

// XFS reserves some 32 KiB for each small file until that is on the device. When such space runs out, it flushes for an
// ordinary open(), but neither for one without a name nor for a link (seen with Linux 6.18).
template <typename Call>
void with_reserved_space_released(const os::directory& directory, std::error_code& error, Call call) {
  call();
  if (error != std::errc::no_space_on_device) return;
  std::error_code flushing;
  directory.sync_file_system(flushing);
  if (!flushing) call();
}

// Whether the file system has no links, or the system refuses them.
bool lacks_links(std::error_code error) noexcept {
  return error == std::errc::operation_not_permitted || error == std::errc::operation_not_supported ||
         error == std::errc::function_not_supported;
}

// A child that was forked meanwhile would keep the lock of a file that everybody may use by now. Only after the
// temporary name is gone: whoever finds that without a lock removes it.
void unlock(const os::file& file) noexcept {
  std::error_code ignored;
  uninterrupted(ignored, [&] { file.unlock(ignored); });
}

}  // namespace

os::file publisher::open_hidden(const std::filesystem::path& path, const os::open_request& request,
                                std::error_code& error) {
  os::file file;
  name_ = os::entry_name(path);
  uninterrupted(error, [&] { directory_ = os::directory::open(directory_of(path), error); });
  if (error) return file;
  with_reserved_space_released(directory_, error, [&] {
    std::tie(file, temporary_) = open_temporary(directory_, request, naming::later, error);
  });
  pending_ = file.is_open();
  return file;
}

// A link never replaces an existing name, so replacing takes two steps: a temporary name, then a rename.
void publisher::publish(const os::file& file, bool replace, std::error_code& error) noexcept try {
  error.clear();
  const auto link_as = [&](const native_string& name) {
    with_reserved_space_released(
        directory_, error, [&] { uninterrupted(error, [&] { directory_.link(file, temporary_, name, error); }); });
  };
  const bool is_to_be_unlocked = !temporary_.empty() && generation_ == os::fork_generation();
  if (!replace || temporary_.empty()) link_as(name_);
  if (!replace && !temporary_.empty() && lacks_links(error)) rename_to_free_name(error);
  if (!replace && !error && is_to_be_unlocked) {
    discard();
    unlock(file);
  }
  if (!replace) return;
  if (temporary_.empty() && error == std::errc::file_exists) temporary_ = under_free_name(link_as, error);
  if (temporary_.empty() || error) return;
  uninterrupted(error, [&] { directory_.rename(temporary_, name_, error); });
  if (error) return;
  pending_ = false;
  if (is_to_be_unlocked) unlock(file);
} catch (const std::bad_alloc&) {
  error = std::make_error_code(std::errc::not_enough_memory);
}

// `error` is what the link failed with, and remains so where this cannot be done either.
void publisher::rename_to_free_name(std::error_code& error) noexcept {
  std::error_code failure;
  uninterrupted(failure, [&] { directory_.rename_to_free(temporary_, name_, failure); });
  if (!failure) temporary_.clear();
  if (failure != std::errc::invalid_argument && !lacks_links(failure)) error = failure;
}

void publisher::discard() noexcept {
  std::error_code ignored;
  const bool is_ours = generation_ == os::fork_generation();
  if (pending_ && is_ours && !temporary_.empty())
    uninterrupted(ignored, [&] { directory_.remove(temporary_, ignored); });
  temporary_.clear();
}

}  // namespace freshet::detail
