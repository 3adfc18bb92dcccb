// Files with temporary names, or without a name.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "src/os/directory.hpp"
#include "src/os/native_string.hpp"

namespace freshet::detail {

/// The directory that contains `path`.
[[nodiscard]] inline std::filesystem::path directory_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

/// Calls `create` with names until one is free; returns that name, or an empty one if `error` is set.
template <typename Create>
[[nodiscard]] native_string under_free_name(Create create, const std::error_code& error) {
  static std::atomic<unsigned> counter{0};
  native_string name;
  do {
    name = to_native(".freshet-" + std::to_string(++counter) + ".tmp");
    create(name);
  } while (error == std::errc::file_exists);
  return error ? native_string{} : name;
}

/// Opens a new file in `directory` by `request`: one without a name if the file system supports that (O_TMPFILE),
/// otherwise one with the returned name, which the caller must remove.
[[nodiscard]] inline std::pair<os::file, native_string> open_temporary(const os::directory& directory,
                                                                       os::open_request request,
                                                                       std::error_code& error) {
  request.creation = os::open_request::disposition::unnamed;
  std::pair opened{directory.open_file(to_native("."), request, error), native_string{}};
  if (error != std::errc::operation_not_supported && error != std::errc::is_a_directory) return opened;
  request.creation = os::open_request::disposition::create_new;
  opened.second =
      under_free_name([&](const auto& name) { opened.first = directory.open_file(name, request, error); }, error);
  return opened;
}

}  // namespace freshet::detail
