// What SQLite reports, as the project's own error.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include <SQLiteCpp/Exception.h>

#include <freshet/error.hpp>

namespace freshet::tool {

/// Of `file`, on which `operation` was tried.
[[nodiscard]] error store_error(const SQLite::Exception& reported, std::string_view operation,
                                const std::filesystem::path& file);
/// The same for SQLite's result code.
[[nodiscard]] error store_error(int code, std::string_view operation, const std::filesystem::path& file);

/// Does `work`; what SQLite reports meanwhile is thrown as a freshet::error. @throws interrupted, too: waiting for a
/// lock ends with a signal
template <typename Work>
decltype(auto) reporting(std::string_view operation, const std::filesystem::path& file, Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const SQLite::Exception& reported) {
    throw store_error(reported, operation, file);
  }
}

}  // namespace freshet::tool
