// Measures what a byte and a small file cost a program, with freshet::writer, the C library and plain system calls.
// Compare figures of one run only, for example
//   bench_hot_path --benchmark_repetitions=9 --benchmark_enable_random_interleaving=true
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>
#include <freshet/writer.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "hot_path_in_c.h"
#include "scratch_directory.hpp"

namespace {

using freshet::bench::scratch;

constexpr std::int64_t bytes_per_pass = std::int64_t{512} << 20;

struct close_file {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using stdio_file = std::unique_ptr<std::FILE, close_file>;

// Returns a byte whose value the compiler does not know, so that it cannot merge values or calls. Does not disturb the
// registers of the surrounding loop.
char opaque(std::int64_t value) {
  auto byte = static_cast<char>(value);
  asm volatile("" : "+r"(byte));
  return byte;
}

template <typename Pass>
void repeat(benchmark::State& state, Pass pass) {
  for (auto _ : state) pass();
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * bytes_per_pass);
}

enum class place { nowhere, page_cache };

// Every pass writes the same file, whose pages are already in the page cache.
template <place Where, typename WriteOne>
void by_writer(benchmark::State& state, WriteOne write_one) {
  repeat(state, [&] {
    freshet::writer out{
        scratch() / "bytes",
        {.method = Where == place::nowhere ? "null" : "buffered", .mode = freshet::open_mode::overwrite}};
    for (std::int64_t i = 0; i < bytes_per_pass; ++i) write_one(out, opaque(i));
    out.close();
  });
}

// `write_all` writes all bytes to the stream.
template <place Where, typename WriteAll>
void by_open_stdio(benchmark::State& state, WriteAll write_all) {
  repeat(state, [&] {
    const auto path = Where == place::nowhere ? std::filesystem::path{"/dev/null"} : scratch() / "bytes";
    const stdio_file file{std::fopen(path.c_str(), std::filesystem::exists(path) ? "r+" : "w")};
    if (!file) throw std::runtime_error{"cannot open " + path.string()};
    write_all(file.get());
    std::fflush(file.get());
  });
}

template <place Where, typename WriteOne>
void by_stdio(benchmark::State& state, WriteOne write_one) {
  by_open_stdio<Where>(state, [&](std::FILE* out) {
    for (std::int64_t i = 0; i < bytes_per_pass; ++i) write_one(out, opaque(i));
  });
}

template <place Where>
void writer_write(benchmark::State& state) {
  by_writer<Where>(state, [](freshet::writer& out, char byte) { out.write(std::string_view{&byte, 1}); });
}
template <place Where>
void writer_put(benchmark::State& state) {
  by_writer<Where>(state, [](freshet::writer& out, char byte) { out.put(byte); });
}
template <place Where>
void stdio_fwrite(benchmark::State& state) {
  by_stdio<Where>(state, [](std::FILE* out, char byte) { std::fwrite(&byte, 1, 1, out); });
}
template <place Where>
void stdio_fwrite_unlocked(benchmark::State& state) {
  by_stdio<Where>(state, [](std::FILE* out, char byte) { fwrite_unlocked(&byte, 1, 1, out); });
}
template <place Where>
void stdio_fwrite_unlocked_in_c(benchmark::State& state) {
  by_open_stdio<Where>(state, [](std::FILE* out) { write_bytes_unlocked_in_c(out, bytes_per_pass); });
}
template <place Where>
void stdio_putc_unlocked(benchmark::State& state) {
  by_stdio<Where>(state, [](std::FILE* out, char byte) { putc_unlocked(byte, out); });
}

BENCHMARK(writer_write<place::nowhere>)->Unit(benchmark::kMillisecond);
BENCHMARK(writer_put<place::nowhere>)->Unit(benchmark::kMillisecond);
BENCHMARK(stdio_fwrite<place::nowhere>)->Unit(benchmark::kMillisecond);
BENCHMARK(stdio_fwrite_unlocked<place::nowhere>)->Unit(benchmark::kMillisecond);
BENCHMARK(stdio_fwrite_unlocked_in_c<place::nowhere>)->Unit(benchmark::kMillisecond);
BENCHMARK(stdio_putc_unlocked<place::nowhere>)->Unit(benchmark::kMillisecond);
BENCHMARK(writer_write<place::page_cache>)->Unit(benchmark::kMillisecond);
BENCHMARK(writer_put<place::page_cache>)->Unit(benchmark::kMillisecond);
BENCHMARK(stdio_fwrite<place::page_cache>)->Unit(benchmark::kMillisecond);
BENCHMARK(stdio_fwrite_unlocked<place::page_cache>)->Unit(benchmark::kMillisecond);
BENCHMARK(stdio_fwrite_unlocked_in_c<place::page_cache>)->Unit(benchmark::kMillisecond);
BENCHMARK(stdio_putc_unlocked<place::page_cache>)->Unit(benchmark::kMillisecond);

constexpr int small_files = 10'000;
constexpr std::array<char, 4096> small_content{};

template <typename WriteFile>
void many_small_files(benchmark::State& state, WriteFile write_file) {
  const auto directory = scratch() / "small";
  for (auto _ : state) {
    state.PauseTiming();
    std::filesystem::remove_all(directory);
    std::filesystem::create_directory(directory);
    state.ResumeTiming();
    for (int i = 0; i < small_files; ++i) write_file(directory / std::to_string(i));
  }
  std::filesystem::remove_all(directory);
}

void small_files_writer(benchmark::State& state) {
  many_small_files(state, [](const std::filesystem::path& path) {
    freshet::writer out{path};
    out.write(std::string_view{small_content.data(), small_content.size()});
    out.close();
  });
}
void small_files_system_calls(benchmark::State& state) {
  many_small_files(state, [](const std::filesystem::path& path) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0 || ::write(descriptor, small_content.data(), small_content.size()) != 4096 ||
        ::close(descriptor) != 0)
      throw std::runtime_error{"cannot write " + path.string()};
  });
}

BENCHMARK(small_files_writer)->Unit(benchmark::kMillisecond);
BENCHMARK(small_files_system_calls)->Unit(benchmark::kMillisecond);

}  // namespace
