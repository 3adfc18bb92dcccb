/// @file
/// The ways of moving blocks into and out of a file that this build of freshet has.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace freshet {

/// One method, and whether it works in a directory.
struct method_info {
  std::string name;           ///< as in writer_options::method
  std::string summary;        ///< one line on how it writes
  std::string why_not;        ///< why it does not work there; empty where it does
  bool keeps_order = true;    ///< false: only with `ordered = false`
  bool asynchronous = false;  ///< moves blocks while the program fills the next
  bool direct = false;        ///< goes past the page cache
  bool reads = false;         ///< a name for reader_options::method, too
  /// Whether it works there.
  [[nodiscard]] bool available() const noexcept { return why_not.empty(); }
};

/// Lists every method in the order of preference, simplest first, each tried on an unnamed file in `directory`.
/// @throws freshet::error  where no file can be made in `directory`
[[nodiscard]] std::vector<method_info> methods(const std::filesystem::path& directory);

}  // namespace freshet
