// Measures what one call costs that reads a few bytes: get() of a character, read() of a piece, and seek and read() of
// a record at a random place, with the streams of freshet and of the standard library on one file in the page cache.
// Compare figures of one run only, for example
//   bench_read_pieces --benchmark_repetitions=9 --benchmark_enable_random_interleaving=true
#include <benchmark/benchmark.h>
#include <freshet/reader.hpp>
#include <freshet/stream.hpp>

#include <array>
#include <cstdint>
#include <fstream>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "scratch_directory.hpp"

namespace {

using freshet::bench::scratch;

constexpr std::size_t file_size = std::size_t{64} << 20;
constexpr std::size_t record = 100;

const std::filesystem::path& file() {
  static const std::filesystem::path path = [] {
    std::ofstream{scratch() / "file", std::ios::binary} << std::string(file_size, 'x');
    return scratch() / "file";
  }();
  return path;
}

// `small` lies in one block of any reader, `all` in the whole file.
const std::vector<std::uint64_t>& places(std::size_t within) {
  static const auto random_places = [](std::size_t end) {
    std::mt19937_64 random{1};
    std::vector<std::uint64_t> result(100'000);
    for (auto& each : result) each = random() % (end - record);
    return result;
  };
  static const auto small = random_places(std::size_t{64} << 10);
  static const auto all = random_places(file_size);
  return within == file_size ? all : small;
}

template <typename Stream, typename KnownAs = Stream>
void get_each(benchmark::State& state) {
  for (auto _ : state) {
    Stream stream{file()};
    KnownAs& in = stream;
    unsigned sum = 0;
    for (int next = in.get(); next != std::char_traits<char>::eof(); next = in.get())
      sum += static_cast<unsigned>(next);
    benchmark::DoNotOptimize(sum);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(file_size));
}

template <typename Stream, typename KnownAs = Stream>
void read_pieces(benchmark::State& state) {
  std::array<char, 4096> piece{};
  const auto length = state.range(0);
  for (auto _ : state) {
    Stream stream{file()};
    KnownAs& in = stream;
    while (in.read(piece.data(), length)) benchmark::DoNotOptimize(piece.data());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(file_size));
}

template <typename Stream>
void seek_and_read(benchmark::State& state) {
  std::array<char, record> into{};
  Stream in{file()};
  for (auto _ : state)
    for (const auto each : places(static_cast<std::size_t>(state.range(0)))) {
      in.seekg(static_cast<std::streamoff>(each));
      in.read(into.data(), into.size());
      benchmark::DoNotOptimize(into.data());
    }
  if (!in) state.SkipWithError("cannot read");
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(places(file_size).size()));
}

void seek_and_read_by_reader(benchmark::State& state) {
  std::array<char, record> into{};
  freshet::reader in{file()};
  for (auto _ : state)
    for (const auto each : places(static_cast<std::size_t>(state.range(0)))) {
      in.seek(each);
      in.read(into);
      benchmark::DoNotOptimize(into.data());
    }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(places(file_size).size()));
}

BENCHMARK(get_each<std::ifstream>)->Unit(benchmark::kMillisecond);
BENCHMARK(get_each<freshet::ifstream>)->Unit(benchmark::kMillisecond);
BENCHMARK(get_each<freshet::ifstream, std::istream>)->Unit(benchmark::kMillisecond);
BENCHMARK(read_pieces<std::ifstream>)->Arg(4)->Arg(16)->Arg(64)->Arg(4096)->Unit(benchmark::kMillisecond);
BENCHMARK(read_pieces<freshet::ifstream>)->Arg(4)->Arg(16)->Arg(64)->Arg(4096)->Unit(benchmark::kMillisecond);
BENCHMARK(read_pieces<freshet::ifstream, std::istream>)->Arg(16)->Unit(benchmark::kMillisecond);
BENCHMARK(seek_and_read<std::ifstream>)->Arg(64 << 10)->Arg(file_size)->Unit(benchmark::kMillisecond);
BENCHMARK(seek_and_read<freshet::ifstream>)->Arg(64 << 10)->Arg(file_size)->Unit(benchmark::kMillisecond);
BENCHMARK(seek_and_read_by_reader)->Arg(64 << 10)->Arg(file_size)->Unit(benchmark::kMillisecond);

}  // namespace
