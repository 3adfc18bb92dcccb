// How much memory each_line uses, and how it reads and writes its files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include <freshet/each_line.hpp>

namespace freshet::detail {

struct each_line_sizes {
  unsigned threads = 1;
  unsigned in_flight = 1;       ///< blocks in memory
  std::size_t block = 0;        ///< bytes of input
  std::size_t most_input = 0;   ///< bytes of input memory that a block keeps when it returns to the pool
  std::size_t most_output = 0;  ///< bytes of output memory that a block keeps when it returns to the pool
  std::size_t file_memory = 0;  ///< most bytes in all blocks of a large file's reader, and of its writer
  std::size_t small_block = 0;  ///< bytes in the only block of a small file's reader, and of its writer
};

/// @throws freshet::error  if an option is invalid
[[nodiscard]] each_line_sizes choose_sizes(const each_line_options& options);

/// @throws freshet::error  if an option makes no sense for these files, or results would be written to a file while it
///                         is read
void check_files(std::span<const file_pair> files, const each_line_options& options);
/// @throws freshet::error  if both are the same file
void check_streams(const reader& in, const writer& out);

// For large files: the caller's options, with the profile's blocks reduced to the memory there is.
[[nodiscard]] reader_options large_input_options(const std::filesystem::path& path, const each_line_options& options,
                                                 const each_line_sizes& sizes);
[[nodiscard]] writer_options large_output_options(const std::filesystem::path& path, const each_line_options& options,
                                                  const each_line_sizes& sizes);

// For small files, most of which are read and written in one piece.
[[nodiscard]] reader_options small_input_options(const each_line_options& options,
                                                 const each_line_sizes& sizes) noexcept;
[[nodiscard]] writer_options small_output_options(const each_line_options& options,
                                                  const each_line_sizes& sizes) noexcept;

}  // namespace freshet::detail
