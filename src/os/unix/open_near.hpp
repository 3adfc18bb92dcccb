// What to ask for the file system of a path.
#pragma once

#include <filesystem>
#include <system_error>

#include "src/os/file.hpp"

namespace freshet::detail::os {

/// Opens a directory itself, and for a file its directory: the file may be unreadable, and a pipe would block. A closed
/// file with `error` set if there is no such path.
[[nodiscard]] inline file open_near(const std::filesystem::path& path, std::error_code& error) {
  const auto kind = std::filesystem::status(path, error).type();
  if (kind == std::filesystem::file_type::not_found) error = make_error_code(std::errc::no_such_file_or_directory);
  if (error) return {};
  const bool is_directory = kind == std::filesystem::file_type::directory;
  const auto directory = is_directory ? path : std::filesystem::canonical(path, error).parent_path();
  return error ? file{} : file::open_existing(directory, error);
}

}  // namespace freshet::detail::os
