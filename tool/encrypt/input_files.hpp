// The files that are to be encrypted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace freshet::tool {

/// The file beside the output that says what it was made from (encrypt/manifest.hpp).
inline constexpr std::string_view manifest_name = ".freshet-encrypt.json";

/// Whether a file of this name is what a writer that was killed left: ".freshet-<digits>.tmp".
[[nodiscard]] bool is_leftover(std::string_view name) noexcept;

/// A regular file, as it was found.
struct input_file {
  std::string name;  ///< in its directory
  std::uint64_t size = 0;
  std::int64_t modified = 0;  ///< nanoseconds since the epoch
  friend bool operator==(const input_file&, const input_file&) = default;
};

/// The files of `directory` in the order of their names, symbolic links to regular files among them; a manifest is
/// none of them. @throws freshet::error  naming what is missing, unreadable, or neither file nor link to one
[[nodiscard]] std::vector<input_file> list_input(const std::filesystem::path& directory);

/// @throws freshet::error  always: the file is not the one that was found
[[noreturn]] void fail_as_changed(const std::filesystem::path& directory, const input_file& found);
/// @throws freshet::error  where the file is not the one that was found: it changed under way
void require_unchanged(const std::filesystem::path& directory, const input_file& found);

/// The share of the files' bytes that is in memory as far as this user is told, 0 to 1, as some of them show. @throws
/// freshet::error
[[nodiscard]] double share_in_memory(const std::filesystem::path& directory, std::span<const input_file> files);

/// `count` shares of about the same number of bytes, each in the order given. Precondition: count > 0.
[[nodiscard]] std::vector<std::vector<input_file>> share_out(std::span<const input_file> files, unsigned count);

}  // namespace freshet::tool
