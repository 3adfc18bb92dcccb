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

/// The JSON that hyperfine 1.15 writes for --export-json.
[[nodiscard]] std::string export_hyperfine(const run& run, std::span<const record> records);
/// The JSON that fio 3.33 writes for --output-format=json.
[[nodiscard]] std::string export_fio(const run& run, std::span<const record> records);
/// The JSON that Google Benchmark 1.7 writes for --benchmark_format=json.
[[nodiscard]] std::string export_benchmark(const run& run, std::span<const record> records);
/// CSV with a line for each trial (RFC 4180).
[[nodiscard]] std::string export_csv(const run& run, std::span<const record> records);
/// A Markdown table for each workload and class, as GitHub renders them.
[[nodiscard]] std::string export_markdown(const run& run, std::span<const record> records);

}  // namespace freshet::tool
