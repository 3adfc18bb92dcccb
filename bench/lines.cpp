// Measures the cost of reading a line, with freshet::lines, std::getline, and hand-written read(2) and memchr(3). Reads
// 1 GiB of the text that `freshet text` writes, with the profile, in the page cache and not in it. Compare figures of
// one run only, for example
//   bench_lines --benchmark_repetitions=9 --benchmark_enable_random_interleaving=true
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>
#include <freshet/lines.hpp>
#include <freshet/stream.hpp>
#include <freshet/writer.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "scratch_directory.hpp"
#include "src/os/file.hpp"

namespace {

using freshet::bench::scratch;

constexpr std::size_t file_size = std::size_t{1} << 30;
constexpr std::size_t block = std::size_t{256} << 10;

const std::filesystem::path& file_of_text() {
  static const std::filesystem::path path = [] {
    constexpr std::array names{"Jack",          "Justin Michel",    "Fred Flintstone",
                               "Barney Rubble", "Homer J. Simpson", "John Jacob Jingleheimer Schmidt"};
    auto file = scratch() / "text";
    freshet::writer out{file, {.method = "buffered"}};
    std::string line;
    for (std::size_t number = 1;; ++number) {
      line.assign(number % 8, '\t');
      line.append("All work and no play makes ").append(names[number % names.size()]).append(" a dull boy.\n");
      if (out.tell() + line.size() > file_size) break;
      out.write(line);
    }
    out.close();
    return file;
  }();
  return path;
}

// The work of the program on each line. It must not be optimized away, and must be small compared with the reading.
struct tally {
  std::uint64_t lines = 0;
  std::uint64_t characters = 0;
  void add(std::string_view line) {
    ++lines;
    characters += line.size();
    benchmark::DoNotOptimize(line.data());
  }
};

template <typename CountLines>
void repeat(benchmark::State& state, CountLines count_lines) {
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(file_of_text()));
  for (auto _ : state) {
    const tally counted = count_lines();
    if (counted.lines + counted.characters != static_cast<std::uint64_t>(size))
      state.SkipWithError("lines are missing");
  }
  state.SetBytesProcessed(state.iterations() * size);
}

void freshet_lines(benchmark::State& state) {
  repeat(state, [] {
    tally counted;
    freshet::reader in{file_of_text()};
    for (const auto line : freshet::lines(in)) counted.add(line);
    return counted;
  });
}

template <typename Stream>
void getline_on(benchmark::State& state) {
  repeat(state, [] {
    tally counted;
    Stream in{file_of_text()};
    for (std::string line; std::getline(in, line);) counted.add(line);
    return counted;
  });
}

void read_and_memchr(benchmark::State& state) {
  repeat(state, [] {
    tally counted;
    const auto memory = std::make_unique<char[]>(2 * block);
    const int descriptor = ::open(file_of_text().c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) throw std::runtime_error{"cannot open the text"};
    std::size_t rest = 0;  // the beginning of a line, which is moved in front of the next block
    for (;;) {
      char* line = memory.get() + block - rest;
      const ssize_t length = ::read(descriptor, memory.get() + block, block);
      if (length <= 0) break;
      char* const limit = memory.get() + block + length;
      while (void* const end = std::memchr(line, '\n', static_cast<std::size_t>(limit - line))) {
        counted.add({line, static_cast<std::size_t>(static_cast<char*>(end) - line)});
        line = static_cast<char*>(end) + 1;
      }
      rest = static_cast<std::size_t>(limit - line);
      std::memcpy(memory.get() + block - rest, line, rest);
    }
    ::close(descriptor);
    return counted;
  });
}

// Reads a file that has been dropped from the page cache, with the method of the profile.
void freshet_lines_cold(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    std::error_code failure;
    auto file = freshet::detail::os::file::open(
        file_of_text(), {.creation = freshet::detail::os::open_request::disposition::existing}, failure);
    file.sync(failure);
    file.advise(freshet::detail::os::advice::dont_need, 0, 0, failure);
    if (failure || file.cached(failure).cached > 0) state.SkipWithError("the text stays in the page cache");
    state.ResumeTiming();
    tally counted;
    freshet::reader in{file_of_text()};
    for (const auto line : freshet::lines(in)) counted.add(line);
    state.SetLabel(std::string{in.method()});
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(std::filesystem::file_size(file_of_text())));
}

BENCHMARK(freshet_lines)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(getline_on<std::ifstream>)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(getline_on<freshet::ifstream>)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(read_and_memchr)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(freshet_lines_cold)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
