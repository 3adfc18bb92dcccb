#include "src/os/unix/owner.hpp"

#include <unistd.h>

#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {

namespace {

// EINVAL: the user namespace of the process has no such owner.
bool may_not_own(std::error_code why) noexcept {
  return why == std::errc::operation_not_permitted || why == std::errc::invalid_argument;
}

}  // namespace

// Only root may give a file away: for others the group remains, or nothing of both. Returns whether both are kept.
bool copy_owner(const struct stat& from, const struct stat& now, int to, std::error_code& error) {
  const auto change = [&](uid_t user) {
    make_call({call::set_attributes, to, 0, 0}, error, [&](std::size_t) { return ::fchown(to, user, from.st_gid); });
  };
  if (from.st_uid == now.st_uid && from.st_gid == now.st_gid) return true;
  change(from.st_uid);
  if (!may_not_own(error)) return !error;
  change(static_cast<uid_t>(-1));
  if (may_not_own(error)) error.clear();
  return false;
}

// Changing the owner or a list changes the mode, too. File systems without modes refuse to set even the one that a file
// has.
void copy_mode(mode_t mode, int to, std::error_code& error) noexcept {
  struct stat now {};
  make_call({call::status, to, 0, 0}, error, [&](std::size_t) { return ::fstat(to, &now); });
  if (error || (now.st_mode & 07777U) == mode) return;
  make_call({call::set_attributes, to, 0, 0}, error, [&](std::size_t) { return ::fchmod(to, mode); });
}

}  // namespace freshet::detail::os
