// The file that `freshet encrypt` leaves with its output. It says what the output was made from, so that a stopped run
// can be continued and the output can be decrypted. doc/reference/encrypt-manifest.md describes it.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/encrypt/input_files.hpp"
#include "lab/encrypt/line_cipher.hpp"

namespace freshet::tool {

struct manifest {
  cipher_plan plan;
  /// The os::boot_id() of the run. Nothing is synced, so finished files are trusted until the next boot only.
  std::string boot;
  /// Whether files of an earlier run are still to be removed. Until then, no file in the directory counts as finished.
  bool clearing = false;
  std::vector<input_file> inputs;  ///< sorted by name
  /// The finished files of the output as they were when the last run ended; sorted by name. A run that was killed, or
  /// of an older freshet, leaves none.
  std::vector<input_file> outputs = {};
  friend bool operator==(const manifest&, const manifest&) = default;
};

void to_json(nlohmann::json& out, const manifest& source);
/// @throws std::exception  if `in` is no manifest, or that of a newer version
void from_json(const nlohmann::json& in, manifest& target);

/// The content of the manifest's file.
[[nodiscard]] std::string to_text(const manifest& source);
/// @throws freshet::error  naming `path`, if `text` is no manifest, or that of a newer version
[[nodiscard]] manifest parse_manifest(std::string_view text, const std::filesystem::path& path);
/// Reads the manifest of `directory`; empty if there is none or its file is empty. @throws freshet::error
[[nodiscard]] std::optional<manifest> read_manifest(const std::filesystem::path& directory);

/// Describes the first difference between two manifests; empty if they lead to the same output.
[[nodiscard]] std::string describe_difference(const manifest& earlier, const manifest& now);

}  // namespace freshet::tool
