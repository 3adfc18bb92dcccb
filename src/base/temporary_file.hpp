// Files with temporary names, or without a name.
#pragma once

#include <atomic>
#include <cstdint>
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

/// What becomes of a file without a name.
enum class naming : std::uint8_t { never, later };

/// Opens a new file in `directory` by `request`: one without a name if the system has such files (O_TMPFILE), and can
/// name it if that comes `later`; otherwise one with the returned name, which the caller must remove.
///
/// On file systems of this system's own, a file with a name is locked, and those that killed programs of this user left
/// in the directory are removed: they have such a name, and nobody has their lock. os::file::unlock() gives it up.
[[nodiscard]] std::pair<os::file, native_string> open_temporary(const os::directory& directory,
                                                                os::open_request request, naming name,
                                                                std::error_code& error);

}  // namespace freshet::detail
