// Shows why the page cache can be ten times slower or faster from one run to the next: it depends on the memory that
// its pages come from. Each case writes the same new file of 1 GiB through the page cache after preparing memory
// differently.
//   bench_page_cache_memory --benchmark_repetitions=3
#include <benchmark/benchmark.h>
#include <freshet/writer.hpp>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <thread>
#include <vector>

#include "scratch_directory.hpp"
#include "src/os/file.hpp"

namespace {

using namespace freshet;

constexpr std::size_t file_size = std::size_t{1} << 30;

void write_file(const std::filesystem::path& path) {
  static const std::vector<std::byte> content(std::size_t{1} << 20, std::byte{0x5a});
  writer out{path, {.method = "buffered", .block = std::size_t{256} << 10}};
  for (std::size_t written = 0; written < file_size; written += content.size()) out.write(content);
  out.close();
}

void sync_scratch() {
  std::error_code error;
  const auto directory = detail::os::file::open(bench::scratch().path(),
                                                {.creation = detail::os::open_request::disposition::unnamed}, error);
  detail::os::sync_file_system(directory, error);
}

// Writes another file and unlinks it before it is written back: its memory is then free and still backed by the host.
void free_a_file() {
  const auto path = bench::scratch() / "before";
  write_file(path);
  std::filesystem::remove(path);
}

void touch_anew() {
  if (auto* memory = detail::os::allocate_pages(file_size); memory != nullptr) {
    std::memset(memory, 1, file_size);
    detail::os::free_pages(memory, file_size);
  }
}

void write_after(benchmark::State& state, void (*before)()) {
  const auto path = bench::scratch() / "file";
  for (auto _ : state) {
    state.PauseTiming();
    std::filesystem::remove(path);
    sync_scratch();
    before();
    state.ResumeTiming();
    write_file(path);
  }
  std::filesystem::remove(path);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(file_size));
}

void after_a_file_was_freed(benchmark::State& state) { write_after(state, free_a_file); }
void after_memory_was_touched(benchmark::State& state) { write_after(state, touch_anew); }
void after_1_s_at_rest(benchmark::State& state) {
  write_after(state, [] { std::this_thread::sleep_for(std::chrono::seconds{1}); });
}
void after_5_s_at_rest(benchmark::State& state) {
  write_after(state, [] { std::this_thread::sleep_for(std::chrono::seconds{5}); });
}
void after_20_s_at_rest(benchmark::State& state) {
  write_after(state, [] { std::this_thread::sleep_for(std::chrono::seconds{20}); });
}

// Measures how fast the pages of as much memory can be touched for the first time, without any file.
void first_touch(benchmark::State& state, std::chrono::seconds at_rest) {
  for (auto _ : state) {
    state.PauseTiming();
    std::this_thread::sleep_for(at_rest);
    state.ResumeTiming();
    touch_anew();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(file_size));
}
void first_touch_at_once(benchmark::State& state) { first_touch(state, std::chrono::seconds{0}); }
void first_touch_after_5_s(benchmark::State& state) { first_touch(state, std::chrono::seconds{5}); }

BENCHMARK(after_a_file_was_freed)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(after_memory_was_touched)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(after_1_s_at_rest)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(after_5_s_at_rest)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(after_20_s_at_rest)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(first_touch_at_once)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(first_touch_after_5_s)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
