// Writes one file and prints how fast it went, piece by piece, and by which method. draw_write.py makes a picture of
// it.
//   bench_write_over_time PATH MIB METHOD [at-rest]
// prints a line of CSV for each 4 MiB: seconds since the beginning, MB so far, and the method at work. With "at-rest",
// memory that the host backs is held, so that the file gets other memory.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <freshet/writer.hpp>

#include "bench/trial_words.hpp"

namespace {

double seconds_now() {
  return std::chrono::duration<double>{std::chrono::steady_clock::now().time_since_epoch()}.count();
}

struct piece {
  double end = 0;    // seconds since the beginning
  double bytes = 0;  // so far
  std::string method;
};

std::vector<piece> write_pieces(const std::string& path, std::uint64_t bytes, std::string_view method) {
  constexpr std::uint64_t piece_bytes = std::uint64_t{4} << 20;
  const std::string text(4096, 'x');
  std::vector<piece> pieces;
  pieces.reserve(bytes / piece_bytes + 2);
  const double begin = seconds_now();
  const auto add = [&](std::uint64_t written, std::string_view by) {
    pieces.push_back({seconds_now() - begin, static_cast<double>(written), std::string{by}});
  };
  freshet::writer out{path, {.method = method}};
  for (std::uint64_t written = 0; written < bytes;) {
    out.write(text);
    written += text.size();
    if (written % piece_bytes == 0) add(written, out.method());
  }
  out.close();
  add(bytes, "close");
  return pieces;
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) return std::fputs("usage: bench_write_over_time PATH MIB METHOD [at-rest]\n", stderr), 2;
  const freshet::bench::backed_memory held{count > 4};
  std::puts("seconds,MB,method");
  for (const piece& each : write_pieces(words[1], std::strtoull(words[2], nullptr, 10) << 20U, words[3]))
    std::printf("%.6f,%.1f,%s\n", each.end, each.bytes / 1e6, each.method.c_str());
}
