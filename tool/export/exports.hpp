// Trials in formats that other tools read.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tool/store/record.hpp"

namespace freshet::tool {

/// The kinds there are: "hyperfine", "fio", "benchmark", "csv", "markdown".
[[nodiscard]] std::vector<std::string> export_kinds();

/// The records of one run in the format `kind`, its last newline included.
/// @throws std::invalid_argument  naming `kind` and those that there are
[[nodiscard]] std::string exported(std::string_view kind, const run& about, std::span<const record> made);

}  // namespace freshet::tool
