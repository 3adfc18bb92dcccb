// The pipeline over files that are read in blocks, which more than one strategy uses.
#pragma once

#include <freshet/options.hpp>

#include "tool/encrypt/encryption.hpp"

namespace freshet::tool {

/// Runs `job` with freshet::each_line, which reads and writes with the given options. @throws as encrypt()
void encrypt_by_pipeline(const encryption_job& job, encryption_progress& done, const reader_options& input,
                         const writer_options& output);

}  // namespace freshet::tool
