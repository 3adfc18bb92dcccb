// Whole programs' ways to write a file: without freshet, which it is held against, and ported to its streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "tool/workload/workload.hpp"

namespace freshet::tool {

/// One file to be written by a baseline.
struct baseline_job {
  std::filesystem::path path;
  std::uint64_t size = 0;
  std::size_t buffer = 0;     ///< bytes that the baseline collects before it writes; 0: its default
  bool keep_content = false;  ///< there is a file of that name already, to be written over rather than emptied
};

/// A baseline: one function for each workload; null where the baseline has none. They open, write and close, and throw
/// freshet::error or `interrupted`.
struct baseline {
  std::string_view name;
  std::string_view summary;
  amount (*text)(const baseline_job& job) = nullptr;
  amount (*blocks)(const baseline_job& job, const block_data& data, std::size_t block) = nullptr;
};

[[nodiscard]] std::span<const baseline> baselines() noexcept;

/// Null where there is none of that name.
[[nodiscard]] const baseline* find_baseline(std::string_view name) noexcept;

// The rows of baselines(), each in a file of its own.
amount write_text_stdio(const baseline_job& job);
amount write_blocks_stdio(const baseline_job& job, const block_data& data, std::size_t block);
amount write_text_stdio_unlocked(const baseline_job& job);
amount write_blocks_stdio_unlocked(const baseline_job& job, const block_data& data, std::size_t block);
amount write_text_ofstream_naive(const baseline_job& job);
amount write_text_ofstream_tuned(const baseline_job& job);
amount write_blocks_ofstream_tuned(const baseline_job& job, const block_data& data, std::size_t block);
amount write_text_stream_naive(const baseline_job& job);
amount write_text_ostream_naive(const baseline_job& job);
amount write_text_print(const baseline_job& job);
amount write_text_fmt(const baseline_job& job);
amount write_blocks_fmt(const baseline_job& job, const block_data& data, std::size_t block);

}  // namespace freshet::tool
