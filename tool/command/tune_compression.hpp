// `freshet tune --compress`: which level of compression pays for a user's own data.
#pragma once

#include <cstdint>
#include <filesystem>

#include "tool/command/results.hpp"

namespace freshet::tool {

struct compression_tuning {
  std::filesystem::path directory;
  std::filesystem::path sample;
  double seconds = 0;
  std::uint64_t max_bytes = 0;  ///< written in all
  std::uint64_t seed = 1;
};

/// Tries the levels and says from which one on the processors are the limit. Returns the exit code.
/// @throws freshet::error; interrupted
int tune_compression(const compression_tuning& options, const log_options& log);

}  // namespace freshet::tool
