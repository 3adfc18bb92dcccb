// Trials of levels of compression with a user's own data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "tool/search/compression.hpp"

namespace freshet::tool {

/// The levels of zstd that are tried: its fast ones, and those up to where a file takes minutes.
inline constexpr int compression_levels[] = {-7, -5, -3, -1, 1, 2, 3, 5, 7, 9, 12};

/// Data that is compressed again and again: the beginning of a user's file, in memory.
struct compression_sample {
  std::filesystem::path path;
  std::vector<std::byte> bytes = {};
};

/// The fewest bytes of a sample: what zstd compresses as a whole. Fewer would be compressed together with themselves.
inline constexpr std::uint64_t least_sample = std::uint64_t{4} << 20;

/// Reads at most `most` bytes. @throws freshet::error  also if the file has fewer than least_sample
[[nodiscard]] compression_sample read_sample(const std::filesystem::path& path, std::uint64_t most);

/// How a file is written.
struct compression_plan {
  std::optional<int> level = {};  ///< empty: without compression
  bool is_stored = true;          ///< false: it is compressed and forgotten
};

/// One file's time and length.
struct compression_trial {
  double rate = 0;            ///< bytes of the sample per second, until the file was closed
  std::uint64_t written = 0;  ///< bytes of the file
};

/// Writes the sample to `path`, which must not exist, and removes it. @throws freshet::error; interrupted
[[nodiscard]] compression_trial write_sample(const compression_sample& sample, const compression_plan& plan,
                                             const std::filesystem::path& path);

/// What a search shows while it runs.
struct compression_progress {
  unsigned round = 0;
  compression_plan plan;
};

/// How long a search may take, and how much it may write.
struct compression_budget {
  double seconds = 0;
  std::uint64_t bytes = 0;
};

/// Tries the levels in one round at least, and in as many more, in random order by `seed`, as the budget allows. Levels
/// that are several times as slow as others, because of the processors, are left out.
/// @param directory  where the files are written
/// @throws freshet::error; interrupted
[[nodiscard]] compression_verdict try_levels(const compression_sample& sample, const std::filesystem::path& directory,
                                             compression_budget budget, std::uint64_t seed,
                                             const std::function<void(const compression_progress&)>& show);

}  // namespace freshet::tool
