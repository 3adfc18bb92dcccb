// Files with temporary names, or without a name.
#pragma once

#include <algorithm>
#include <array>
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

/// Whether a file without a name was refused in a way that says nothing of files with one: systems without O_TMPFILE
/// answer with any of these. Where it is the directory that is missing or closed, files with names are refused, too.
[[nodiscard]] inline bool may_need_name(std::error_code why) noexcept {
  using enum std::errc;
  constexpr std::array reasons{operation_not_supported, function_not_supported,    invalid_argument, is_a_directory,
                               operation_not_permitted, no_such_file_or_directory, permission_denied};
  return std::ranges::any_of(reasons, [&](std::errc each) { return why == each; });
}

/// What becomes of a file without a name.
enum class naming : std::uint8_t { never, later };

/// Opens a new file in `directory` by `request`: one without a name if the system has such files (O_TMPFILE), and can
/// name it if that comes `later`; otherwise one with the returned name, which the caller must remove.
[[nodiscard]] inline std::pair<os::file, native_string> open_temporary(const os::directory& directory,
                                                                       os::open_request request, naming name,
                                                                       std::error_code& error) {
  request.creation = os::open_request::disposition::unnamed;
  std::pair opened{directory.open_file(to_native("."), request, error), native_string{}};
  if (!error && name == naming::later) directory.require_linkable(opened.first, error);
  if (error) opened.first = {};
  if (!may_need_name(error)) return opened;
  request.creation = os::open_request::disposition::create_new;
  opened.second =
      under_free_name([&](const auto& free) { opened.first = directory.open_file(free, request, error); }, error);
  return opened;
}

}  // namespace freshet::detail
