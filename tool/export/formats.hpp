// The formats that exports.hpp chooses from; doc/reference/exports.md says what each of them has from where.
#pragma once

#include <span>
#include <string>

#include "tool/store/record.hpp"

namespace freshet::tool {

/// What hyperfine 1.15 writes for --export-json.
[[nodiscard]] std::string hyperfine_export(const run& about, std::span<const record> made);
/// What fio 3.33 writes for --output-format=json.
[[nodiscard]] std::string fio_export(const run& about, std::span<const record> made);
/// What a Google Benchmark 1.7 writes for --benchmark_format=json.
[[nodiscard]] std::string benchmark_export(const run& about, std::span<const record> made);
/// A line per trial, RFC 4180.
[[nodiscard]] std::string csv_export(const run& about, std::span<const record> made);
/// A table for each workload and class, as GitHub shows them.
[[nodiscard]] std::string markdown_export(const run& about, std::span<const record> made);

}  // namespace freshet::tool
