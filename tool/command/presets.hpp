// Published experiments, as one call of `bench`. The laboratory carries them out.
#pragma once

#include <cstdint>
#include <filesystem>

#include "tool/base/enum_names.hpp"
#include "tool/command/arguments.hpp"
#include "tool/command/results.hpp"

namespace freshet::tool {

/// w1: "Creating text files" of 2006, each of its programs with and without reserving, write-through and no cache.
enum class preset : std::uint8_t { w1 };
template <>
inline constexpr auto enum_names<preset> = std::to_array<std::string_view>({"w1"});

struct preset_options {
  std::filesystem::path directory;
  std::uint64_t size = 0;  ///< bytes of each file; 0: those of the publication
  memory_state memory = memory_state::unbacked;
  series_options series;
  log_options log;
};

/// Carries out an experiment and returns the exit code.
using preset_runner = int (*)(const preset_options&);

/// What carries them out in this program: until it is set, start_laboratory(). The ability `peers` sets it there; a
/// build without it throws std::runtime_error.
[[nodiscard]] preset_runner& run_preset() noexcept;

}  // namespace freshet::tool
