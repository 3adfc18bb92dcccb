// Writes trials in formats that other tools read.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tool/store/record.hpp"

namespace freshet::tool {

/// The available kinds: "hyperfine", "fio", "benchmark", "csv", "markdown".
[[nodiscard]] std::vector<std::string> export_kinds();

/// Formats the records of one run as `kind`, including the last newline.
/// @throws std::invalid_argument  if `kind` is unknown; it names the available kinds
[[nodiscard]] std::string format_export(std::string_view kind, const run& run, std::span<const record> records);

}  // namespace freshet::tool
