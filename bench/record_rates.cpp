// Records how fast a machine takes a file through the page cache and past it, 8 MiB at a time, as a line of
// tests/src/method/traces/*.csv each. Pieces of the two files alternate, so that both meet the machine as it is at that
// moment.
//   FRESHET_BENCH_DIR=/var/tmp bench_record_rates > trace.csv
#include <freshet/methods.hpp>
#include <freshet/writer.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iostream>
#include <string_view>
#include <vector>

#include "scratch_directory.hpp"

namespace {

using namespace freshet;

constexpr std::size_t piece_size = std::size_t{8} << 20;
constexpr std::size_t file_size = std::size_t{1} << 30;

// The fastest one that writes past the page cache here.
std::string_view direct_method() {
  const auto known = methods(bench::scratch().path());
  const auto uring = std::ranges::find(known, "uring", &method_info::name);
  return uring != known.end() && uring->why_not.empty() ? "uring" : "direct";
}

double seconds_of_piece(writer& out, const std::vector<std::byte>& piece) {
  const auto begin = std::chrono::steady_clock::now();
  out.write(piece);
  out.flush();
  return std::chrono::duration<double>{std::chrono::steady_clock::now() - begin}.count();
}

}  // namespace

int main() {
  const std::vector<std::byte> piece(piece_size, std::byte{0x5a});
  writer cached{bench::scratch() / "cached", {.method = "buffered"}};
  writer direct{bench::scratch() / "direct", {.method = direct_method()}};
  std::cout << "bytes,cached_seconds,direct_seconds\n";
  for (std::size_t written = 0; written < file_size; written += piece_size) {
    const double by_cache = seconds_of_piece(cached, piece);
    std::cout << piece_size << ',' << by_cache << ',' << seconds_of_piece(direct, piece) << '\n';
  }
}
