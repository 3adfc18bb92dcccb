// Reads one file as a plan says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/base/pool.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// What a read of one file came to.
struct read_file_result {
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;  ///< of these bytes (workload/checksum.hpp)
  std::string method;          ///< the method that read it
};

/// Opens `path`, reads all of it through freshet::reader, and closes it. @throws freshet::error; interrupted
[[nodiscard]] read_file_result read_file(const trial_plan& plan, const std::filesystem::path& path);

/// MB/s of reading all of `path` from the device through the page cache; empty if its pages could not be dropped
/// before.
/// @throws freshet::error; interrupted
[[nodiscard]] std::optional<double> measure_cold_read(const std::filesystem::path& path);

/// Allocates blocks as a reader of the plan holds them in memory.
[[nodiscard]] std::vector<detail::block> blocks_to_read(const trial_plan& plan);
/// Does what read_file() does with the blocks that it reads, but with `blocks` in turn, until that were as many bytes
/// as the plan's size: reading without a file. @throws interrupted
[[nodiscard]] read_file_result read_blocks(const trial_plan& plan, std::span<const detail::block> blocks);

}  // namespace freshet::tool
