// The ways of stdio that are more than one function called again and again.
#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include <freshet/stdio.hpp>

#include "lab/bytes/ways_stdio.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t large_block = std::size_t{64} << 10;

}  // namespace

byte_work end_stdio(stdio_file& file, byte_count done, std::size_t buffer, bool locks) {
  byte_work work{.done = done, .used = file.describe()};
  // A file of which nothing was written or read has no buffer yet.
  const std::size_t wanted = buffer == 0 || done.bytes == 0 ? file.buffer_size() : buffer;
  if (!work.used.empty()) work.wanted = describe_stdio(wanted, locks);
  file.close();
  return work;
}

byte_work write_with_tuned_stdio(const byte_job& job) {
  stdio_file file{job.path, job.buffer, "wb"};
  const std::size_t buffer = stdio_tune(file.get());
  return end_stdio(file, write_stdio(file, job.size, put_by_fwrite), buffer, false);
}

byte_work read_with_tuned_stdio(const byte_job& job) {
  stdio_file file{job.path, job.buffer, "rb"};
  const std::size_t buffer = stdio_tune(file.get());
  return end_stdio(file, read_stdio(file, get_by_fread), buffer, false);
}

byte_work write_stdio_blocks(const byte_job& job) {
  stdio_file file{job.path, job.buffer, "wb"};
  for_each_piece(job.size, [&](std::span<const unsigned char> piece) {
    while (!piece.empty()) {
      const auto part = piece.first(std::min(large_block, piece.size()));
      if (std::fwrite(part.data(), 1, part.size(), file.get()) != part.size()) file.fail("write");
      piece = piece.subspan(part.size());
    }
  });
  return end_stdio(file, {.bytes = job.size}, job.buffer);
}

byte_work read_stdio_blocks(const byte_job& job) {
  stdio_file file{job.path, job.buffer, "rb"};
  std::vector<unsigned char> memory(large_block);
  byte_count seen;
  while (const std::size_t length = std::fread(memory.data(), 1, large_block, file.get())) {
    seen.bytes += length;
    seen.sum = std::accumulate(memory.begin(), memory.begin() + static_cast<std::ptrdiff_t>(length), seen.sum);
    throw_if_interrupted();
  }
  return end_stdio(file, seen, job.buffer);
}

}  // namespace freshet::tool
