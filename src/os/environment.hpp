// The seam's view of the process's surroundings.
#pragma once

#include <optional>
#include <string>

namespace freshet::detail::os {

/// The environment variable `name`; empty where it is unset, and in programs that run with more rights than their user
/// (set-user-ID), whose environment must not be believed.
[[nodiscard]] std::optional<std::string> secure_environment(const char* name);

/// A text that is another one after every boot; empty where the system has none.
[[nodiscard]] std::string boot_id();

/// The running kernel's release: "6.18.0-amd64".
[[nodiscard]] std::string kernel_release();

}  // namespace freshet::detail::os
