/// @file
/// freshet::methods(), which lists the ways of moving blocks into and out of a file that this build has.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <freshet/detail/export.hpp>

namespace freshet {

/// A method, and whether it works in a certain directory.
struct method_info {
  std::string name;           ///< for writer_options::method
  std::string summary;        ///< one line: how it writes
  std::string why_not;        ///< why it does not work there; empty if it works
  bool keeps_order = true;    ///< if false, it requires `ordered = false`
  bool asynchronous = false;  ///< moves blocks while the program fills the next
  bool direct = false;        ///< bypasses the page cache
  bool reads = false;         ///< also reads: `name` is valid for reader_options::method
  /// Returns whether the method works there.
  [[nodiscard]] bool available() const noexcept { return why_not.empty(); }
};

/// Returns all methods in order of preference, the simplest first. Tries each on an unnamed temporary file.
/// @param directory  where to try them
/// @throws freshet::error  if no file can be created in `directory`
[[nodiscard]] FRESHET_API std::vector<method_info> methods(const std::filesystem::path& directory);

}  // namespace freshet
