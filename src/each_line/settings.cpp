#include "src/each_line/settings.hpp"

#include <tbb/info.h>

#include <algorithm>
#include <bit>
#include <string_view>
#include <system_error>

#include "src/os/same_file.hpp"
#include "src/profile/profile_lookup.hpp"

namespace freshet::detail {
namespace {

constexpr unsigned most_threads = 1024;
constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;
constexpr std::size_t page = 4 * kib;
// A block and its result fit into a processor's cache, and need little new memory.
constexpr std::size_t best_block = 256 * kib;
constexpr std::size_t least_block = 16 * kib;

// The documented 40 MiB consist of 8 MiB each for the reader and the writer of a large file, or of all small files …
constexpr std::size_t file_memory = 8 * mib;
// … and of the blocks' input and, twice as large, their output. The rest is for the threads' stacks and the allocator.
constexpr std::size_t blocks_memory = 20 * mib;
constexpr std::size_t parts = 3;

[[noreturn]] void reject(std::string_view detail) {
  throw error{std::make_error_code(std::errc::invalid_argument), "transform lines", {}, error::no_offset, detail};
}

void check(const each_line_options& options) {
  if (options.threads > most_threads) reject("threads must be at most 1024");
  if (options.block > (std::size_t{1} << 30)) reject("block must be at most 1 GiB");
  if (options.in_flight > 2 * most_threads) reject("in_flight must be at most 2048");
}

writer_options hidden_output_options(const each_line_options& options) noexcept {
  writer_options result = options.output;
  result.hidden_until_closed |= result.mode == open_mode::truncate || result.mode == open_mode::create_new;
  return result;
}

template <typename Options>
bool leaves_all_to_profile(const Options& options) {
  return options.method == "auto" && options.block == 0 && options.depth == 0;
}

}  // namespace

// The writer's own native_handle() would make it write at the descriptor's position.
struct writer_file {
  static const open_file* of(const writer& out) noexcept { return out.file_; }
};

void check_streams(const reader& in, const writer& out) {
  if (is_same_file(in.native_handle(), descriptor_of(writer_file::of(out))))
    reject("the reader would read the results, because the writer writes to its file");
}

void check_files(std::span<const file_pair> files, const each_line_options& options) {
  const bool replaces = options.output.mode == open_mode::truncate || options.output.mode == open_mode::create_new;
  for (const file_pair& each : files) {
    std::error_code unknown;  // a missing file is reported when it is opened
    if (!replaces && std::filesystem::equivalent(each.in, each.out, unknown))
      throw error{std::make_error_code(std::errc::invalid_argument), "transform the lines of", each.in,
                  error::no_offset,
                  "the results would be read again: with in and out the same, output.mode must replace the file"};
  }
  if (options.output.checksum != checksum_algorithm::none)
    reject("nothing would return output.checksum: use a writer of your own");
  if (files.size() > 1 && options.input.expected_checksum.algorithm != checksum_algorithm::none)
    reject("input.expected_checksum is that of one file only");
}

each_line_sizes choose_sizes(const each_line_options& options) {
  check(options);
  each_line_sizes sizes;
  sizes.threads =
      options.threads != 0 ? options.threads : static_cast<unsigned>(std::max(tbb::info::default_concurrency(), 1));
  constexpr auto most_in_flight = static_cast<unsigned>(blocks_memory / parts / least_block);
  sizes.in_flight = options.in_flight != 0 ? options.in_flight : std::min(sizes.threads * 2, most_in_flight);
  const std::size_t share = blocks_memory / parts / sizes.in_flight / page * page;
  sizes.block = options.block != 0 ? options.block : std::clamp(share, page, best_block);
  // Blocks are often a little larger, because they end with a whole line.
  sizes.most_input = sizes.block + sizes.block / 4;
  sizes.most_output = sizes.block * 2;
  sizes.file_memory = file_memory;
  sizes.small_block = std::clamp(std::bit_floor(file_memory / 2 / sizes.threads), page, 64 * kib);
  return sizes;
}

reader_options large_input_options(const std::filesystem::path& path, const each_line_options& options,
                                   const each_line_sizes& sizes) {
  auto result = options.input;
  if (!leaves_all_to_profile(result) || !is_regular_file(path)) return result;
  result.block = reading_block_within(path, sizes.file_memory);
  return result;
}

writer_options large_output_options(const std::filesystem::path& path, const each_line_options& options,
                                    const each_line_sizes& sizes) {
  auto result = hidden_output_options(options);
  if (!leaves_all_to_profile(result)) return result;
  const auto directory = path.has_parent_path() ? path.parent_path() : std::filesystem::path{"."};
  result.block = writing_block_within(directory, result.durability, result.ordered ? 2 : 64, sizes.file_memory);
  return result;
}

reader_options small_input_options(const each_line_options& options, const each_line_sizes& sizes) noexcept {
  auto result = options.input;
  if (result.block == 0) result.block = sizes.small_block;
  return result;
}

writer_options small_output_options(const each_line_options& options, const each_line_sizes& sizes) noexcept {
  auto result = hidden_output_options(options);
  if (result.block == 0) result.block = sizes.small_block;
  return result;
}

}  // namespace freshet::detail
