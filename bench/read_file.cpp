// Reads a file as a program does that looks at some bytes of each cache line, and prints MB/s from open to close and
// what happened. adaptive_reading.py runs it.
//   bench_read_file PATH METHOD PACE [at-rest]
// METHOD may have a block in KiB and a depth ("uring:2048:2"); "auto" is the library's own choice. PACE: nanoseconds
// that the program takes for each KiB. With "at-rest", memory that the host backs is held, so that the page cache gets
// other memory, as after some idle seconds of the whole machine.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

#include <freshet/reader.hpp>
#include <freshet/statistics.hpp>

#include "bench/trial_words.hpp"

namespace {

using namespace freshet;
using steady = std::chrono::steady_clock;

std::uint64_t sum_of(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at + sizeof sum <= bytes.size(); at += 64) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    sum += word;
  }
  return sum;
}

void wait_until(steady::time_point end) {
  while (steady::now() < end) {
  }
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) return std::fputs("usage: bench_read_file PATH METHOD PACE [at-rest]\n", stderr), 2;
  const reader_options options = bench::options_from<reader_options>(words[2]);
  const double pace = std::atof(words[3]);
  const bench::backed_memory held{count > 4};
  std::uint64_t sum = 0;
  const auto begin = steady::now();
  reader in{words[1], options};
  for (auto bytes = in.available(); !bytes.empty(); bytes = in.available()) {
    const auto received = steady::now();
    sum += sum_of(bytes);
    const std::chrono::duration<double, std::nano> busy{pace * static_cast<double>(bytes.size()) / 1024};
    if (pace > 0) wait_until(received + std::chrono::duration_cast<steady::duration>(busy));
    in.advance(bytes.size());
  }
  const file_statistics statistics = in.statistics();
  in.close();
  const double seconds = std::chrono::duration<double>{steady::now() - begin}.count();
  std::printf("%.1f %016llx %s\n", static_cast<double>(statistics.bytes) / seconds / 1e6,
              static_cast<unsigned long long>(sum), describe(statistics).c_str());
}
