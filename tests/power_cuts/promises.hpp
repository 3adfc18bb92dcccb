// What was promised of files before a power cut, and whether they hold it afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <freshet/encryption.hpp>

namespace freshet::test {

/// How a file stores its bytes.
struct stored_form {
  bool compressed = false;
  bool sealed = false;

  /// "plain", "compressed", "sealed" or "compressed-sealed".
  [[nodiscard]] std::string name() const;
  /// @throws std::out_of_range  if it is no such name
  [[nodiscard]] static stored_form of_name(std::string_view name);
};

/// What is known of one file. Its bytes are those that belong at 16 MiB times a number, of which each version of each
/// file has its own.
struct promised_file {
  stored_form form;
  std::uint64_t number = 0;
  std::uint64_t durable = 0;  ///< bytes from its start that a power cut may not take
  std::uint64_t ordered = 0;  ///< bytes from its start that are there if any after them is
  bool complete = false;      ///< it has exactly `durable` bytes
};

/// The versions of a file that is replaced atomically.
struct promised_versions {
  struct version {
    stored_form form;
    std::uint64_t number = 0;  ///< as promised_file::number
    std::uint64_t length = 0;
  };
  std::vector<version> possible;  ///< the last that is durable, and those that were begun since
  bool exists = false;            ///< whether one is durable
};

struct promises {
  std::map<std::string, promised_file> files;
  std::map<std::string, promised_versions> versions;
  std::uint64_t trials = 0;  ///< that the store must have
  std::uint64_t count = 0;
};

/// Files by one method of which nothing is durable yet.
struct growing_files {
  unsigned count = 0;
  unsigned with_zeros = 0;  ///< which have zeros in place of bytes
};

/// Reads lines in the order in which they were written:
///   file NAME NUMBER FORM              is about to be written
///   durable NAME LENGTH                the first LENGTH bytes are durable
///   complete NAME LENGTH               the same, and the file has no more
///   ordered NAME LENGTH                the first LENGTH bytes are there if any after them is
///   version NAME NUMBER FORM LENGTH    is about to replace the file of that name
///   replaced NAME NUMBER               has replaced it durably
///   trials COUNT                       are in the store
///   forget                             all promises of files before this line
/// @throws std::runtime_error  if a line is something else
[[nodiscard]] promises read_promises(std::istream& lines);

/// Compares the files in `directory` with what was promised. Returns a line for each difference.
[[nodiscard]] std::vector<std::string> check_files(const promises& promised, const std::filesystem::path& directory);

/// What a power cut left of the files in `directory` that are named NUMBER-growing-METHOD, by method.
/// @throws std::runtime_error  if one has bytes that are neither its own nor zeros
[[nodiscard]] std::map<std::string, growing_files> look_at_growing(const promises& promised,
                                                                   const std::filesystem::path& directory);

/// The bytes of a file of this number, from its offset `from` on.
[[nodiscard]] std::string bytes_of_file(std::uint64_t number, std::uint64_t from, std::size_t length);

/// The key of all sealed files.
[[nodiscard]] const encryption_key& key_of_files();

}  // namespace freshet::test
