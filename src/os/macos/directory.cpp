// Directories on macOS, which tells what an open file is called now, and what belongs to a file beside mode and owner.
#include "src/os/directory.hpp"

#include <copyfile.h>
#include <fcntl.h>
#include <sys/param.h>

#include <filesystem>
#include <new>
#include <string>

#include "src/os/unix/owner.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {

directory directory::containing(const file& inside, const std::string& path, std::error_code& error) noexcept try {
  char current[MAXPATHLEN] = {};
  make_call({call::status, inside.descriptor(), 0, 0}, error,
            [&](std::size_t) { return ::fcntl(inside.descriptor(), F_GETPATH, current); });
  return open(std::filesystem::path{error ? path : current}.parent_path(), error);
} catch (const std::bad_alloc&) {
  error = std::make_error_code(std::errc::not_enough_memory);
  return {};
}

// Who may not read a file is not told its lists; a file without them would be open to others.
void copy_attribute_lists(int directory, const std::string& name, int to, std::error_code& error) noexcept {
  constexpr int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const int opened = make_call({call::open, directory, 0, 0}, error,
                               [&](std::size_t) { return ::openat(directory, name.c_str(), flags); });
  if (error) return;
  const file original = file::wrap(opened, true);
  make_call({call::set_attributes, to, 0, 0}, error,
            [&](std::size_t) { return ::fcopyfile(opened, to, nullptr, COPYFILE_ACL | COPYFILE_XATTR); });
  if (error == std::errc::operation_not_supported) error.clear();  // the file system has none
}

}  // namespace freshet::detail::os
