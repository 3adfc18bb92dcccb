// The owner of a file that takes the place of another, and what else belongs to it.
#pragma once

#include <sys/stat.h>

#include <string>
#include <system_error>

namespace freshet::detail::os {

/// Gives the open file `to`, whose status is `now`, the owner and the group of `from`. Returns whether it has both.
[[nodiscard]] bool copy_owner(const struct stat& from, const struct stat& now, int to, std::error_code& error);

/// Gives the open file `to` the permissions `mode`, unless it has them: that may be refused where it is not needed.
void copy_mode(mode_t mode, int to, std::error_code& error) noexcept;

/// Gives the open file `to` the access control list and the extended attributes of the entry `name` of `directory`.
void copy_attribute_lists(int directory, const std::string& name, int to, std::error_code& error) noexcept;

/// The permissions of `from` for a file that has its owner, or has not: a program that takes on its owner's rights must
/// not take on another's.
[[nodiscard]] constexpr mode_t kept_mode(const struct stat& from, bool is_owner_kept) noexcept {
  return from.st_mode & (is_owner_kept ? 07777U : 01777U);
}

}  // namespace freshet::detail::os
