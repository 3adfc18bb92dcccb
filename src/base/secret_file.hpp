// Reads keys and passphrases.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <freshet/path_argument.hpp>

namespace freshet::detail {

/// Reads the beginning of a file straight into `into`, so that no other memory holds it; returns how many bytes.
/// @throws freshet::error
[[nodiscard]] std::size_t read_secret_file(const native_string& path, std::span<std::byte> into);

}  // namespace freshet::detail
