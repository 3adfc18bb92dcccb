#include "src/sink/deletion.hpp"

#include <string_view>

#include "src/base/temporary_file.hpp"
#include "src/method/transfer.hpp"
#include "src/os/native_string.hpp"

namespace freshet::detail {
namespace {

constexpr std::string_view prefix = ".freshet-delete.";

native_string marker_of(const native_string& name) { return to_native(prefix) + name; }

// Deletes `name` if it is the file of `status`. The kernel has no call that checks and deletes at once: a file that
// takes the name between the two is lost.
void remove_if_same(const os::directory& directory, const native_string& name, const os::file_status& status,
                    std::error_code& error) noexcept {
  os::file_status now;
  uninterrupted(error, [&] { now = directory.status_of(name, error); });
  if (!error && now.inode == status.inode && now.device == status.device)
    uninterrupted(error, [&] { directory.remove(name, error); });
  if (error == std::errc::no_such_file_or_directory) error.clear();
}

// The marker goes last: without it, nobody would delete the name.
void remove_both(const os::directory& directory, const native_string& name, const native_string& marker,
                 const os::file_status& status, std::error_code& error) noexcept {
  remove_if_same(directory, name, status, error);
  if (!error) remove_if_same(directory, marker, status, error);
}

// Deletes a file whose processes have ended. Files of other users are theirs to delete.
void remove_if_abandoned(const os::directory& directory, const native_string& marker) {
  std::error_code error;
  const os::file_status found = directory.status_of(marker, error);
  if (error || found.kind != os::file_kind::regular || !found.is_own) return;
  const auto file = directory.open_file(
      marker,
      {.creation = os::open_request::disposition::existing, .read = true, .write = false, .follow_links = false},
      error);
  if (!error) file.lock(error);
  if (error) return;
  const os::file_status status = file.status(error);
  if (!error) remove_both(directory, marker.substr(prefix.size()), marker, status, error);
}

void remove_abandoned(const os::directory& directory) {
  const native_string marked = marker_of({});
  std::error_code unreadable;
  for (const native_string& each : directory.names(unreadable))
    if (each.starts_with(marked)) remove_if_abandoned(directory, each);
}

// Creates the marker and locks it. Between the two, another program may find the marker without a lock and delete it.
// A marker that is there already belongs to a program that still runs, or is just being deleted.
os::file create_marker(const os::directory& directory, const native_string& marker, const os::open_request& request,
                       std::error_code& error) {
  patience waiting;
  do {
    os::file file = directory.open_file(marker, request, error);
    if (error == std::errc::file_exists) continue;
    if (error) return {};
    uninterrupted(error, [&] { file.lock(error); });
    os::file_status status;
    if (!error) status = file.status(error);
    if (!error && status.links > 0) return file;
    if (error && error != std::errc::operation_would_block) {
      std::error_code ignored;
      directory.remove(marker, ignored);
      return {};
    }
  } while (waiting.wait());
  error = std::make_error_code(std::errc::device_or_resource_busy);
  return {};
}

// What a failed link says where the file system has no links (EPERM), and the like.
std::error_code reason_without_links(std::error_code error) noexcept {
  return error == std::errc::operation_not_permitted || error == std::errc::function_not_supported
             ? std::make_error_code(std::errc::operation_not_supported)
             : error;
}

}  // namespace

deletion::~deletion() {
  std::error_code ignored;
  if (is_pending()) remove(ignored);
}

os::file deletion::create(const std::filesystem::path& path, os::open_request request, std::error_code& error) {
  name_ = os::entry_name(path);
  marker_ = marker_of(name_);
  uninterrupted(error, [&] { directory_ = os::directory::open(directory_of(path), error); });
  if (error) return {};
  remove_abandoned(directory_);
  request.creation = os::open_request::disposition::create_new;
  os::file file = create_marker(directory_, marker_, request, error);
  if (error) return {};
  status_ = file.status(error);
  pending_ = true;
  if (!error) uninterrupted(error, [&] { directory_.link(file, marker_, name_, error); });
  if (!error) return file;
  error = reason_without_links(error);
  std::error_code ignored;
  remove(ignored);
  return {};
}

void deletion::remove(std::error_code& error) noexcept {
  pending_ = false;
  remove_both(directory_, name_, marker_, status_, error);
}

}  // namespace freshet::detail
