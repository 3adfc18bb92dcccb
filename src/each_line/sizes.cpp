#include "src/each_line/sizes.hpp"

#include <tbb/info.h>

#include <algorithm>
#include <bit>

namespace freshet::detail {
namespace {

constexpr unsigned most_threads = 1024;
constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;
constexpr std::size_t page = 4 * kib;
// What fits into a processor's cache together with what becomes of it, and costs little memory that must be had first.
constexpr std::size_t best_block = 256 * kib;
constexpr std::size_t least_block = 16 * kib;

// The 40 MiB that are promised: 8 MiB each for the reader and the writer of a large file, or for all of small ones …
constexpr std::size_t file_memory = 8 * mib;
// … and the blocks of lines, as they were read and, twice as much, as they became. The rest is for the threads' stacks
// and for what the allocator keeps.
constexpr std::size_t blocks_memory = 20 * mib;
constexpr std::size_t parts = 3;

void check(const each_line_options& options) {
  const auto invalid = [](std::string_view detail) {
    throw error{std::make_error_code(std::errc::invalid_argument), "treat lines", {}, error::no_offset, detail};
  };
  if (options.threads > most_threads) invalid("threads must be at most 1024");
  if (options.block > (std::size_t{1} << 30)) invalid("block must be at most 1 GiB");
  if (options.in_flight > 2 * most_threads) invalid("in_flight must be at most 2048");
}

}  // namespace

each_line_sizes sizes_for(const each_line_options& options) {
  check(options);
  each_line_sizes sizes;
  sizes.threads =
      options.threads != 0 ? options.threads : static_cast<unsigned>(std::max(tbb::info::default_concurrency(), 1));
  constexpr auto most_in_flight = static_cast<unsigned>(blocks_memory / parts / least_block);
  sizes.in_flight = options.in_flight != 0 ? options.in_flight : std::min(sizes.threads * 2, most_in_flight);
  const std::size_t share = blocks_memory / parts / sizes.in_flight / page * page;
  sizes.block = options.block != 0 ? options.block : std::clamp(share, page, best_block);
  // As lines do not end where blocks do, a little more is common.
  sizes.most_input = sizes.block + sizes.block / 4;
  sizes.most_output = sizes.block * 2;
  sizes.file_memory = file_memory;
  sizes.small_block = std::clamp(std::bit_floor(file_memory / 2 / sizes.threads), page, 64 * kib);
  return sizes;
}

}  // namespace freshet::detail
