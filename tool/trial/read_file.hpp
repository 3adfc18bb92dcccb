// Reads one file as a plan says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "src/pool.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// What came out of a file.
struct read_file_result {
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;  ///< of them (workload/checksum.hpp)
  std::string method;          ///< the one at work
};

/// Opens `path`, reads all of it through freshet::reader, and closes it. @throws freshet::error; interrupted
[[nodiscard]] read_file_result read_file(const trial_plan& plan, const std::filesystem::path& path);

/// Blocks as a reader of the plan has them in memory.
[[nodiscard]] std::vector<detail::block> blocks_to_read(const trial_plan& plan);
/// Does with `blocks`, in turn until that were as many bytes as the plan's size, what read_file() does with those that
/// it reads: what is left of reading where there is no file. @throws interrupted
[[nodiscard]] read_file_result read_blocks(const trial_plan& plan, std::span<const detail::block> blocks);

}  // namespace freshet::tool
