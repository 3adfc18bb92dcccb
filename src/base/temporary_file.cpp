#include "src/base/temporary_file.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace freshet::detail {
namespace {

// Systems without O_TMPFILE answer with any of these. Where it is the directory that is missing or closed, files with
// names are refused, too.
bool may_need_name(std::error_code why) noexcept {
  using enum std::errc;
  constexpr std::array reasons{operation_not_supported, function_not_supported,    invalid_argument, is_a_directory,
                               operation_not_permitted, no_such_file_or_directory, permission_denied};
  return std::ranges::any_of(reasons, [&](std::errc each) { return why == each; });
}

// A number that begins with 0 says that the writer of the file has its lock as long as it lives.
constexpr std::string_view lockable = ".freshet-0";
constexpr std::string_view suffix = ".tmp";

native_string lockable_name(unsigned number) {
  return to_native(lockable) + to_native(std::to_string(number)) + to_native(suffix);
}

bool is_lockable_name(const native_string& name) {
  const native_string begin = to_native(lockable);
  const native_string end = to_native(suffix);
  return name.size() > begin.size() + end.size() && name.starts_with(begin) && name.ends_with(end) &&
         std::all_of(name.begin() + static_cast<std::ptrdiff_t>(begin.size()),
                     name.end() - static_cast<std::ptrdiff_t>(end.size()),
                     [](auto each) { return each >= '0' && each <= '9'; });
}

void try_to_lock(const os::file& file, std::error_code& error) noexcept {
  do file.lock(error);
  while (error == std::errc::interrupted);
}

// Whoever has the lock of a file may remove its name: no writer of the library lives that could.
void remove_name_of(const os::directory& directory, const native_string& name, const os::file& file,
                    std::error_code& error) noexcept {
  const os::file_status status = file.status(error);
  if (error) return;
  const os::file_status now = directory.status_of(name, error);
  if (!error && now.inode == status.inode && now.device == status.device) directory.remove(name, error);
}

// Returns whether it removed the file.
bool remove_if_left(const os::directory& directory, const native_string& name) {
  std::error_code error;
  const os::file_status found = directory.status_of(name, error);
  if (error || found.kind != os::file_kind::regular || !found.is_own) return false;
  const os::file file = directory.open_file(
      name, {.creation = os::open_request::disposition::existing, .read = true, .write = false, .follow_links = false},
      error);
  if (!error) try_to_lock(file, error);
  if (!error) remove_name_of(directory, name, file, error);
  return !error;
}

// Names are given from the lowest number on, so that the first few tell of what was left: the directory, which may be
// large, is read only where one of them was.
constexpr unsigned first_few = 8;

void remove_left_files(const os::directory& directory) {
  bool has_found = false;
  for (unsigned number = 1; number <= first_few; ++number)
    has_found = remove_if_left(directory, lockable_name(number)) || has_found;
  if (!has_found) return;
  std::error_code unreadable;
  for (const native_string& each : directory.names(unreadable))
    if (is_lockable_name(each)) remove_if_left(directory, each);
}

// Opens a new file and locks it; without a file and an error where there are no locks. Between the two, another program
// may lock and remove it: then the next name is tried.
std::pair<os::file, native_string> open_locked(const os::directory& directory, const os::open_request& request,
                                               std::error_code& error) {
  static std::atomic<unsigned> counter{first_few};
  for (unsigned tried = 1;; ++tried) {
    const native_string name = lockable_name(tried <= first_few ? tried : ++counter);
    os::file file = directory.open_file(name, request, error);
    if (error == std::errc::file_exists) continue;
    if (error) return {};
    std::error_code locking;
    try_to_lock(file, locking);
    os::file_status status;
    if (!locking) status = file.status(locking);
    if (!locking && status.links > 0) return {std::move(file), name};
    if (!locking || locking == std::errc::operation_would_block) continue;
    remove_name_of(directory, name, file, locking);
    return {};
  }
}

std::pair<os::file, native_string> open_named(const os::directory& directory, os::open_request request,
                                              std::error_code& error) {
  request.creation = os::open_request::disposition::create_new;
  std::pair<os::file, native_string> opened;
  if (directory.is_local()) {
    remove_left_files(directory);
    opened = open_locked(directory, request, error);
    if (error || opened.first.is_open()) return opened;
  }
  opened.second =
      under_free_name([&](const auto& free) { opened.first = directory.open_file(free, request, error); }, error);
  return opened;
}

}  // namespace

std::pair<os::file, native_string> open_temporary(const os::directory& directory, os::open_request request, naming name,
                                                  std::error_code& error) {
  request.creation = os::open_request::disposition::unnamed;
  os::file unnamed = directory.open_file(to_native("."), request, error);
  if (!error && name == naming::later) directory.require_linkable(unnamed, error);
  if (!error) return {std::move(unnamed), native_string{}};
  return may_need_name(error) ? open_named(directory, request, error) : std::pair<os::file, native_string>{};
}

}  // namespace freshet::detail
