// The formats that exports.hpp chooses from; doc/reference/exports.md says where each of their fields comes from.
#pragma once

#include <span>
#include <string>

#include "tool/store/record.hpp"

namespace freshet::tool {

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
