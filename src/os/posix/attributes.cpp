// What belongs to a file beside its bytes, by POSIX.1-2008: mode and owner; and lists, where the system has some.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "src/os/directory.hpp"
#include "src/os/unix/owner.hpp"
#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {

bool directory::copy_attributes(const std::string& name, const file& target, std::error_code& error) const noexcept {
  struct stat from {};
  struct stat now {};
  make_call({call::status, descriptor_, 0, 0}, error,
            [&](std::size_t) { return ::fstatat(descriptor_, name.c_str(), &from, AT_SYMLINK_NOFOLLOW); });
  if (error == std::errc::no_such_file_or_directory) {
    error.clear();
    return false;
  }
  const int to = target.descriptor();
  if (!error) make_call({call::status, to, 0, 0}, error, [&](std::size_t) { return ::fstat(to, &now); });
  if (error) return false;
  const mode_t mode = kept_mode(from, copy_owner(from, now, to, error));
  if (!error) copy_attribute_lists(descriptor_, name, to, error);
  if (!error) copy_mode(mode, to, error);
  return !error;
}

}  // namespace freshet::detail::os
