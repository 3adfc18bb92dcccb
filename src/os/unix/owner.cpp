#include "src/os/unix/owner.hpp"

#include <unistd.h>

#include "src/os/unix/system_call.hpp"

namespace freshet::detail::os {

// Only root may give a file away: for others the group remains, or nothing of both. Returns whether both are kept.
bool copy_owner(const struct stat& from, const struct stat& now, int to, std::error_code& error) {
  const auto change = [&](uid_t user) {
    make_call({call::set_attributes, to, 0, 0}, error, [&](std::size_t) { return ::fchown(to, user, from.st_gid); });
  };
  if (from.st_uid == now.st_uid && from.st_gid == now.st_gid) return true;
  change(from.st_uid);
  if (error != std::errc::operation_not_permitted) return !error;
  change(static_cast<uid_t>(-1));
  if (error == std::errc::operation_not_permitted) error.clear();
  return false;
}

}  // namespace freshet::detail::os
