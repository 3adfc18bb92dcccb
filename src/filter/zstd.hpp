// The filters that compress with zstd and decompress what it compressed.
#pragma once

#include <memory>
#include <string>

#include <freshet/options.hpp>
#include <freshet/path_argument.hpp>

#include "src/sink/sink.hpp"
#include "src/source/source.hpp"

namespace freshet::detail {

/// Refuses options that compress() cannot keep, before a file is touched. @throws freshet::error
void check_compression(const native_string& path, const compression& options);
/// Returns a sink that compresses into `inner`. Precondition: check_compression(). @throws freshet::error
[[nodiscard]] std::unique_ptr<sink> compress(std::unique_ptr<sink> inner, const compression& options);

/// Refuses what decompress() cannot do here. @throws freshet::error
void check_decompression(const native_string& path);
/// Returns a source that decompresses `inner`, as `how` says, which is not `none`. Precondition: check_decompression().
/// @param accepts_unclosed  as reader_options::accept_unclosed
[[nodiscard]] std::unique_ptr<source> decompress(std::unique_ptr<source> inner, decompression how,
                                                 bool accepts_unclosed);

}  // namespace freshet::detail
