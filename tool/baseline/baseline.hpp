// How whole programs write a file: those without freshet, which it is compared with, and those ported to its streams.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "tool/workload/workloads.hpp"

namespace freshet::tool {

/// One file to be written by a baseline.
struct baseline_job {
  std::filesystem::path path;
  workload_content content;
  std::size_t buffer = 0;     ///< bytes that the baseline collects before it writes; 0: its default
  bool keep_content = false;  ///< a file of that name exists and is to be overwritten rather than emptied
};

/// A baseline: a function that opens, writes and closes a file. It throws freshet::error or `interrupted`.
struct baseline {
  std::string_view name;
  std::string_view summary;
  bool text_only = false;  ///< it is a program for the workload `text`
  amount (*write)(const baseline_job& job) = nullptr;
};

[[nodiscard]] std::span<const baseline> baselines() noexcept;

/// The baseline called `name`; null if there is none.
[[nodiscard]] const baseline* find_baseline(std::string_view name) noexcept;

// The rows of baselines(), each family in a file of its own.
amount write_stdio(const baseline_job& job);
amount write_stdio_unlocked(const baseline_job& job);
amount write_by_calls(const baseline_job& job);
amount write_by_aio(const baseline_job& job);
amount write_ofstream(const baseline_job& job);
amount write_ofstream_naive(const baseline_job& job);
amount write_ofstream_tuned(const baseline_job& job);
amount write_stream_naive(const baseline_job& job);
amount write_ostream_naive(const baseline_job& job);
amount write_print(const baseline_job& job);
amount write_fmt(const baseline_job& job);

}  // namespace freshet::tool
