// The pipeline around files of a size to be read in blocks, for more than one strategy.
#pragma once

#include <freshet/options.hpp>

#include "tool/encrypt/encryption.hpp"

namespace freshet::tool {

/// Does `job` by freshet::each_line, reading and writing as told. @throws as encrypt()
void encrypt_by_pipeline(const encryption_job& job, encryption_progress& done, const reader_options& input,
                         const writer_options& output);

}  // namespace freshet::tool
