// What a run of `freshet encrypt` leaves beside its output: what it was made from, so that it can be continued and
// turned back. Described in doc/reference/encrypt-manifest.md.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tool/encrypt/input_files.hpp"
#include "tool/workload/line_cipher.hpp"

namespace freshet::tool {

struct manifest {
  cipher_plan plan;
  /// What os::boot_id() was: nothing was synced, so that what is finished counts until the next boot.
  std::string boot;
  /// Whether files of an earlier run are still to be removed: until then, none that is there is finished.
  bool clearing = false;
  std::vector<input_file> inputs;  ///< in the order of their names
  friend bool operator==(const manifest&, const manifest&) = default;
};

/// "xor", "aes".
[[nodiscard]] std::string_view name_of(cipher_kind cipher) noexcept;
/// Empty for another name.
[[nodiscard]] std::optional<cipher_kind> cipher_named(std::string_view name) noexcept;

void to_json(nlohmann::json& out, const manifest& source);
/// @throws std::exception  if `in` is no manifest, or that of a newer version
void from_json(const nlohmann::json& in, manifest& target);

/// The content of the manifest's file.
[[nodiscard]] std::string to_text(const manifest& source);
/// @throws freshet::error  naming `path`, if `text` is no manifest, or that of a newer version
[[nodiscard]] manifest parse_manifest(std::string_view text, const std::filesystem::path& path);
/// The one in `directory`; empty where there is none, or one that nothing was written to yet. @throws freshet::error
[[nodiscard]] std::optional<manifest> read_manifest(const std::filesystem::path& directory);

/// What tells the two apart, the first such thing, in words; empty where they would lead to the same output.
[[nodiscard]] std::string first_difference(const manifest& earlier, const manifest& now);

}  // namespace freshet::tool
