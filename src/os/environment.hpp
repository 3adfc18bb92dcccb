// The process's environment, as the operating system reports it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace freshet::detail::os {

/// The environment variable `name`; empty if it is unset, and in programs with more rights than their user
/// (set-user-ID), which must not trust their environment.
[[nodiscard]] std::optional<std::string> secure_environment(const char* name);

/// The directory of this user's settings, empty if there is none; and that of the settings for all users.
[[nodiscard]] std::filesystem::path user_settings();
[[nodiscard]] std::filesystem::path system_settings();

/// A text that changes with every boot; empty if the system has none.
[[nodiscard]] std::string boot_id();

/// The running kernel's release: "6.18.0-amd64".
[[nodiscard]] std::string kernel_release();

/// Whether a release like that is `major`.`minor` or later; false for one that does not begin with two numbers.
[[nodiscard]] bool is_release_at_least(std::string_view release, unsigned major, unsigned minor) noexcept;

}  // namespace freshet::detail::os
