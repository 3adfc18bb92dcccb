// The filter of system calls that containers have by default, from the file of Debian's
// golang-github-containers-common.
#pragma once

#include <linux/filter.h>

#include <filesystem>
#include <string>
#include <vector>

namespace freshet::test {

/// Where Debian's package puts the filter.
inline const std::filesystem::path container_filter_file = "/usr/share/containers/seccomp.json";

/// The filter of a container without more capabilities than it has by default. What it does not allow fails with
/// `error`.
/// @throws std::exception  if the file cannot be read, or has a rule that is not understood
[[nodiscard]] std::vector<sock_filter> container_filter(const std::filesystem::path& file, int error);

/// Puts this process under `filter` for good, with a container's capabilities. Returns whether that could be done.
[[nodiscard]] bool enter_container(std::vector<sock_filter> filter);

}  // namespace freshet::test
