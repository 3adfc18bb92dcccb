// Converts SQLite's errors into freshet::error.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include <SQLiteCpp/Exception.h>

#include <freshet/error.hpp>

namespace freshet::tool {

/// The error for `file` after `operation` failed with `reported`. @throws interrupted  if a signal ended a wait for a
/// lock
[[nodiscard]] error store_error(const SQLite::Exception& reported, std::string_view operation,
                                const std::filesystem::path& file);
/// The error for `file` after `operation` failed with SQLite's result code.
[[nodiscard]] error store_error(int code, std::string_view operation, const std::filesystem::path& file);

/// Calls `work` and throws what SQLite reports as a freshet::error. @throws interrupted  if a signal ends the wait for
/// a lock
template <typename Work>
decltype(auto) translate_errors(std::string_view operation, const std::filesystem::path& file, Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const SQLite::Exception& reported) {
    throw store_error(reported, operation, file);
  }
}

}  // namespace freshet::tool
