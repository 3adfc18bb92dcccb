// What a byte, a line and a small file cost the program: freshet::writer beside the C library and bare system calls.
// Each comparison is meant to be read within one run, for example
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

#include "scratch_directory.hpp"

namespace {

using freshet::bench::scratch;

constexpr std::int64_t bytes_per_pass = std::int64_t{512} << 20;

struct close_file {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using stdio_file = std::unique_ptr<std::FILE, close_file>;

// A byte that the compiler knows nothing about, so that it can merge neither values nor calls; the registers of the
// loop around it stay as they are.
char opaque(std::int64_t value) {
  auto byte = static_cast<char>(value);
  asm volatile("" : "+r"(byte));
  return byte;
}

// What a pass over the file is made of: one call of `write_one` for each byte.
template <typename Open, typename WriteOne, typename Close>
void byte_by_byte(benchmark::State& state, Open open, WriteOne write_one, Close close) {
  for (auto _ : state) {
    auto out = open();
    for (std::int64_t i = 0; i < bytes_per_pass; ++i) write_one(out, opaque(i));
    close(out);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * bytes_per_pass);
}

enum class place { nowhere, page_cache };

// The same file in every pass, so that all of them meet pages that the cache already has.
template <place Where>
stdio_file open_stdio() {
  const auto path = Where == place::nowhere ? std::filesystem::path{"/dev/null"} : scratch() / "bytes";
  stdio_file file{std::fopen(path.c_str(), Where == place::nowhere || !std::filesystem::exists(path) ? "w" : "r+")};
  if (!file) throw std::runtime_error{"cannot open " + path.string()};
  return file;
}

template <place Where>
freshet::writer open_writer() {
  return freshet::writer{
      scratch() / "bytes",
      {.method = Where == place::nowhere ? "null" : "buffered", .mode = freshet::open_mode::overwrite}};
}

void finish(const stdio_file& file) { std::fflush(file.get()); }
void finish(freshet::writer& out) { out.close(); }

template <place Where>
void writer_write(benchmark::State& state) {
  byte_by_byte(
      state, open_writer<Where>,
      [](auto& out, char byte) {
        out.write(std::string_view{&byte, 1});
      },
      [](auto& out) { finish(out); });
}
template <place Where>
void writer_put(benchmark::State& state) {
  byte_by_byte(
      state, open_writer<Where>, [](auto& out, char byte) { out.put(byte); }, [](auto& out) { finish(out); });
}
template <place Where>
void stdio_fwrite(benchmark::State& state) {
  byte_by_byte(
      state, open_stdio<Where>, [](auto& out, char byte) { std::fwrite(&byte, 1, 1, out.get()); },
      [](auto& out) { finish(out); });
}
template <place Where>
void stdio_fwrite_unlocked(benchmark::State& state) {
  byte_by_byte(
      state, open_stdio<Where>, [](auto& out, char byte) { fwrite_unlocked(&byte, 1, 1, out.get()); },
      [](auto& out) { finish(out); });
}
template <place Where>
void stdio_putc_unlocked(benchmark::State& state) {
  byte_by_byte(
      state, open_stdio<Where>, [](auto& out, char byte) { putc_unlocked(byte, out.get()); },
      [](auto& out) { finish(out); });
}

BENCHMARK(writer_write<place::nowhere>)->Unit(benchmark::kMillisecond);
BENCHMARK(writer_put<place::nowhere>)->Unit(benchmark::kMillisecond);
BENCHMARK(stdio_fwrite<place::nowhere>)->Unit(benchmark::kMillisecond);
BENCHMARK(stdio_fwrite_unlocked<place::nowhere>)->Unit(benchmark::kMillisecond);
BENCHMARK(stdio_putc_unlocked<place::nowhere>)->Unit(benchmark::kMillisecond);
BENCHMARK(writer_write<place::page_cache>)->Unit(benchmark::kMillisecond);
BENCHMARK(writer_put<place::page_cache>)->Unit(benchmark::kMillisecond);
BENCHMARK(stdio_fwrite<place::page_cache>)->Unit(benchmark::kMillisecond);
BENCHMARK(stdio_fwrite_unlocked<place::page_cache>)->Unit(benchmark::kMillisecond);
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
