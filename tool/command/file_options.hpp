// Options of the library that commands have for the files that they write or read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <freshet/encryption.hpp>
#include <freshet/options.hpp>

#include <nlohmann/json_fwd.hpp>

#include "tool/command/options.hpp"

namespace freshet::tool {

/// --access, the order in which files will be used.
command_option add_access_option(command_parser& command, access& into);
/// The same; empty unless it is given.
command_option add_access_option(command_parser& command, std::optional<access>& into);
/// --caching, what the page cache holds of files.
command_option add_caching_option(command_parser& command, caching& into);
/// --rate-limit, bytes per second.
command_option add_rate_limit_option(command_parser& command, std::uint64_t& into);
/// --compress, the format and perhaps the level.
command_option add_compress_option(command_parser& command, compression& into);
/// --checksum, the algorithm.
command_option add_checksum_option(command_parser& command, checksum_algorithm& into);

/// Where a key comes from.
struct key_options {
  std::filesystem::path key_file;
  std::filesystem::path passphrase_file;
};

/// Adds --key-file and --passphrase-file.
struct key_option_pair {
  command_option key_file;
  command_option passphrase_file;
};
key_option_pair add_key_options(command_parser& command, key_options& into);

/// The key that the options name; none if they name none. @throws freshet::error
[[nodiscard]] std::optional<encryption_key> read_key(const key_options& options);

/// Whether both are names of one regular file: by device and inode.
[[nodiscard]] bool is_same_file(const std::filesystem::path& one, const std::filesystem::path& other);
/// Refuses an output that is a file of the key, whatever its name: the key might be lost. @throws usage_error
void require_no_key(const std::string& argument, const std::filesystem::path& output, const key_options& options);

/// What `options` ask for beyond the defaults, by the names on the command line: {"caching": "drop"}. Without those
/// that a plan has.
[[nodiscard]] nlohmann::json list_file_options(const writer_options& options);
/// The same for people: "caching drop, compress zstd:3".
[[nodiscard]] std::string describe_file_options(const nlohmann::json& listed);

/// "xxh3:0123456789abcdef".
[[nodiscard]] std::string to_text(const checksum& sum);

}  // namespace freshet::tool
