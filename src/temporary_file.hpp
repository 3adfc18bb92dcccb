// Files that nobody is to see yet.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "src/os/file.hpp"

namespace freshet::detail {

/// Where `path` has its entry.
[[nodiscard]] inline std::filesystem::path directory_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

/// Calls `create` with names in `directory` until one is free; returns it, or an empty path when `error` is set.
template <typename Create>
[[nodiscard]] std::filesystem::path under_free_name(const std::filesystem::path& directory, Create create,
                                                    std::error_code& error) {
  static std::atomic<unsigned> counter{0};
  std::filesystem::path name;
  do {
    name = directory / (".freshet-" + std::to_string(++counter) + ".tmp");
    create(name);
  } while (error == std::errc::file_exists);
  return error ? std::filesystem::path{} : name;
}

/// Opens a new file in `directory` by `request`: one without a name where the file system has such (O_TMPFILE), else
/// one with the name returned beside it, which the caller removes.
[[nodiscard]] inline std::pair<os::file, std::filesystem::path> open_temporary(const std::filesystem::path& directory,
                                                                               os::open_request request,
                                                                               std::error_code& error) {
  request.what = os::open_request::disposition::unnamed;
  std::pair made{os::file::open(directory, request, error), std::filesystem::path{}};
  if (error != std::errc::operation_not_supported && error != std::errc::is_a_directory) return made;
  request.what = os::open_request::disposition::create_new;
  made.second = under_free_name(
      directory, [&](const auto& name) { made.first = os::file::open(name, request, error); }, error);
  return made;
}

}  // namespace freshet::detail
