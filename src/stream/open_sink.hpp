// Opens files with the filters that their options ask for.
#pragma once

#include <memory>
#include <string>

#include <freshet/options.hpp>
#include <freshet/path_argument.hpp>

#include "src/sink/sink.hpp"
#include "src/source/source.hpp"

namespace freshet::detail {

/// Opens `path` for writing. @throws freshet::error
[[nodiscard]] std::unique_ptr<sink> open_sink(const native_string& path, const writer_options& options);
/// Writes to an open descriptor, which close() closes if it is `owned`. @throws freshet::error
[[nodiscard]] std::unique_ptr<sink> adopt_sink(native_handle_type descriptor, bool owned,
                                               const writer_options& options);

/// Opens `path` for reading. @throws freshet::error
[[nodiscard]] std::unique_ptr<source> open_for_reading(const native_string& path, const reader_options& options);
/// Reads an open descriptor from its own position on; close() closes it if it is `owned`. @throws freshet::error
[[nodiscard]] std::unique_ptr<source> adopt_for_reading(native_handle_type descriptor, bool owned,
                                                        const reader_options& options);

}  // namespace freshet::detail
