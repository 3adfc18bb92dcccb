// Copies a file through a compressing writer, or a compressed file through a decompressing reader into nothing, as
// `zstd` does, and prints the seconds until it was closed, and the bytes of the written file. compression.sh runs it.
//   bench_compression write FROM TO LEVEL THREADS
//   bench_compression read FROM
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <freshet/reader.hpp>
#include <freshet/writer.hpp>

namespace {

using namespace freshet;

std::uint64_t copy(const char* from, const char* to, int level, unsigned threads) {
  reader in{from};
  writer_options options;
  options.compression = {.format = compression_format::zstd, .level = level, .threads = threads};
  writer out{to, options};
  for (;;) {
    const auto piece = in.available();
    if (piece.empty()) break;
    out.write(piece);
    in.advance(piece.size());
  }
  out.close();
  return out.written_bytes();
}

std::uint64_t read(const char* from) {
  reader_options options;
  options.decompression = decompression::zstd;
  reader in{from, options};
  for (;;) {
    const auto piece = in.available();
    if (piece.empty()) return in.tell();
    in.advance(piece.size());
  }
}

}  // namespace

int main(int count, char** words) {
  const std::string_view work = count > 1 ? words[1] : "";
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t bytes = 0;
  if (work == "write" && count == 6)
    bytes = copy(words[2], words[3], std::atoi(words[4]), static_cast<unsigned>(std::atoi(words[5])));
  else if (work == "read" && count == 3)
    bytes = read(words[2]);
  else
    return 2;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("%.3f %llu\n", seconds.count(), static_cast<unsigned long long>(bytes));
}
