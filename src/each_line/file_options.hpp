// How each_line's files are read and written.
#pragma once

#include <filesystem>

#include <freshet/each_line.hpp>

#include "src/each_line/sizes.hpp"

namespace freshet::detail {

// Of a large file: as asked for; of what the profile says no more blocks than there is memory for.
[[nodiscard]] reader_options large_input(const std::filesystem::path& path, const each_line_options& options,
                                         const each_line_sizes& sizes);
[[nodiscard]] writer_options large_output(const std::filesystem::path& path, const each_line_options& options,
                                          const each_line_sizes& sizes);

// Of a small file, which goes in one piece mostly.
[[nodiscard]] reader_options small_input(const each_line_options& options, const each_line_sizes& sizes) noexcept;
[[nodiscard]] writer_options small_output(const each_line_options& options, const each_line_sizes& sizes) noexcept;

}  // namespace freshet::detail
