// Directories by POSIX.1-2008.
#include "src/os/directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "src/os/unix/system.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {
namespace {

struct close_listing {
  void operator()(DIR* listing) const noexcept { ::closedir(listing); }
};

}  // namespace

directory::~directory() {
  if (is_open()) ::close(descriptor_);
}

directory directory::open(const std::filesystem::path& path, std::error_code& error) {
  const char* const name = path.empty() ? "." : path.c_str();
  directory opened;
  for (const std::optional<int> access : {std::optional{O_RDONLY}, unread_directory_flags()}) {
    if (!access) break;
    opened.descriptor_ = make_call({call::open_directory, -1, 0, 0}, error,
                                   [&](std::size_t) { return ::open(name, *access | O_DIRECTORY | O_CLOEXEC); });
    if (error != std::errc::permission_denied) break;
  }
  return opened;
}

file directory::open_file(const std::string& name, const open_request& request, std::error_code& error) const {
  return file::open_at(descriptor_, name, request, error);
}

// Through a descriptor of its own, because reading moves its position.
std::vector<std::string> directory::names(std::error_code& error) const {
  std::vector<std::string> result;
  const int own = make_call({call::open_directory, descriptor_, 0, 0}, error, [&](std::size_t) {
    return ::openat(descriptor_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  });
  if (error) return result;
  const std::unique_ptr<DIR, close_listing> entries{::fdopendir(own)};
  if (!entries) {
    error = last_error();
    ::close(own);
    return result;
  }
  errno = 0;
  while (const dirent* const entry = ::readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") result.emplace_back(name);
    errno = 0;
  }
  if (errno != 0) error = last_error();
  return result;
}

void directory::rename(const std::string& from, const std::string& to, std::error_code& error) const noexcept {
  make_call({call::rename, -1, 0, 0}, error,
            [&](std::size_t) { return ::renameat(descriptor_, from.c_str(), descriptor_, to.c_str()); });
}

void directory::remove(const std::string& name, std::error_code& error) const noexcept {
  make_call({call::remove, -1, 0, 0}, error, [&](std::size_t) { return ::unlinkat(descriptor_, name.c_str(), 0); });
}

void directory::sync(std::error_code& error) const noexcept {
  make_call({call::sync_directory, descriptor_, 0, 0}, error, [&](std::size_t) { return sync_to_device(descriptor_); });
  // Some network file systems have no directories that can be synced; their entries are durable at once.
  if (error == std::errc::invalid_argument) error.clear();
  // It was opened only as a path, because it may not be read.
  if (error == std::errc::bad_file_descriptor) error = std::make_error_code(std::errc::permission_denied);
}

void directory::sync_file_system(std::error_code& error) const noexcept {
  make_call({call::sync_file, descriptor_, 0, 0}, error,
            [&](std::size_t) { return sync_whole_file_system(descriptor_); });
}

native_string entry_name(const std::filesystem::path& path) { return path.filename().native(); }

}  // namespace freshet::detail::os
