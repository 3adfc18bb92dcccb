// "Creating text files", 2006: the published experiment as one call of `bench`.
#pragma once

#include "tool/command/presets.hpp"

namespace freshet::tool {

/// Builds the peers of the published programs that can be built here, measures each with every combination of the
/// options that it has, in turns, and prints the figures beside the published ones. Returns the exit code: 1 if a peer
/// failed. @throws freshet::error; interrupted
[[nodiscard]] int run_w1(const preset_options& options);

}  // namespace freshet::tool
