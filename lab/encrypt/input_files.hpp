// The files to encrypt.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tool/base/json_optional.hpp"

namespace freshet::tool {

/// The name of the manifest in the output's directory (manifest.hpp).
inline constexpr std::string_view manifest_name = ".freshet-encrypt.json";

/// Whether `name` is that of a temporary file that a killed writer leaves: ".freshet-<digits>.tmp".
[[nodiscard]] bool is_leftover(std::string_view name) noexcept;

/// A regular file, as it was when it was listed.
struct input_file {
  std::string name;  ///< without its directory
  std::uint64_t size = 0;
  std::int64_t modified = 0;  ///< nanoseconds since the epoch
  friend bool operator==(const input_file&, const input_file&) = default;
};

/// The names of all entries of `directory`, sorted. @throws freshet::error
[[nodiscard]] std::vector<std::string> list_names(const std::filesystem::path& directory);

/// Lists the files of `directory` by name, including symbolic links to regular files, without a manifest.
/// @throws freshet::error  naming an entry that is missing, unreadable, or neither a file nor a link to one
[[nodiscard]] std::vector<input_file> list_input(const std::filesystem::path& directory);

/// Reports that a file has changed since it was listed. @throws freshet::error  always
[[noreturn]] void throw_changed(const std::filesystem::path& directory, const input_file& file);
/// @throws freshet::error  if the file has changed since it was listed
void require_unchanged(const std::filesystem::path& directory, const input_file& file);

/// Estimates from some of the files which share of their bytes is in the page cache, 0 to 1. Files whose owner alone
/// may know that count as not cached. @throws freshet::error
[[nodiscard]] double share_in_memory(const std::filesystem::path& directory, std::span<const input_file> files);

/// How much text some files hold, and how much it is once it is encrypted.
struct text_volume {
  unsigned files = 0;
  std::uint64_t lines = 0;
  std::uint64_t bytes = 0;
  std::uint64_t bytes_out = 0;
  friend bool operator==(const text_volume&, const text_volume&) = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(text_volume, files, lines, bytes, bytes_out)

/// Reads the files and counts their lines. @throws freshet::error; interrupted
[[nodiscard]] text_volume count_text(const std::filesystem::path& directory, std::span<const input_file> files);

/// Divides `files` into `count` shares of about the same number of bytes, each in the order given. Precondition:
/// count > 0.
[[nodiscard]] std::vector<std::vector<input_file>> share_out(std::span<const input_file> files, unsigned count);

}  // namespace freshet::tool
