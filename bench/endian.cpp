// Measures the cost of writing and reading 10^8 numbers of 32 bits in the other byte order, one by one and in bulk,
// with the order as a constant and as an argument, compared with the same bytes in bulk without conversion. Compare
// figures of one run only, for example
//   bench_endian --benchmark_repetitions=9 --benchmark_enable_random_interleaving=true
// Reading uses a file of 400 MB in the page cache.
#include <benchmark/benchmark.h>
#include <freshet/endian.hpp>

#include <cstdint>
#include <filesystem>
#include <numeric>
#include <span>
#include <vector>

#include "scratch_directory.hpp"

namespace {

using freshet::bench::scratch;

constexpr std::endian other = std::endian::native == std::endian::little ? std::endian::big : std::endian::little;
constexpr std::size_t count = 100'000'000;

std::vector<std::uint32_t>& numbers() {
  static std::vector<std::uint32_t> all = [] {
    std::vector<std::uint32_t> values(count);
    std::iota(values.begin(), values.end(), 0x01020304U);
    return values;
  }();
  return all;
}

// The same order, which the compiler does not know.
std::endian chosen() {
  std::endian order = other;
  benchmark::DoNotOptimize(order);
  return order;
}

template <typename Pass>
void repeat(benchmark::State& state, Pass pass) {
  numbers();
  for (auto _ : state) pass();
  state.SetBytesProcessed(state.iterations() * std::int64_t{count * sizeof(std::uint32_t)});
}

void write_bytes_in_bulk(benchmark::State& state) {
  repeat(state, [] {
    freshet::writer out{scratch() / "numbers", {.method = "null"}};
    out.write(std::as_bytes(std::span{numbers()}));
    out.close();
  });
}
void write_in_bulk(benchmark::State& state) {
  repeat(state, [] {
    freshet::writer out{scratch() / "numbers", {.method = "null"}};
    const freshet::binary_writer<other> binary{out};
    binary.write_array(numbers());
    out.close();
  });
}
void write_one_by_one(benchmark::State& state) {
  repeat(state, [] {
    freshet::writer out{scratch() / "numbers", {.method = "null"}};
    const freshet::binary_writer<other> binary{out};
    for (const std::uint32_t each : numbers()) binary.write(each);
    out.close();
  });
}
void write_in_bulk_in_a_chosen_order(benchmark::State& state) {
  repeat(state, [] {
    freshet::writer out{scratch() / "numbers", {.method = "null"}};
    const freshet::binary_writer binary{out, chosen()};
    binary.write_array(numbers());
    out.close();
  });
}
void write_one_by_one_in_a_chosen_order(benchmark::State& state) {
  repeat(state, [] {
    freshet::writer out{scratch() / "numbers", {.method = "null"}};
    const freshet::binary_writer binary{out, chosen()};
    for (const std::uint32_t each : numbers()) binary.write(each);
    out.close();
  });
}
void write_varints(benchmark::State& state) {
  repeat(state, [] {
    freshet::writer out{scratch() / "numbers", {.method = "null"}};
    const freshet::binary_writer<other> binary{out};
    for (const std::uint32_t each : numbers()) binary.write_varint(each);
    out.close();
  });
}

const std::filesystem::path& file_of_numbers() {
  static const std::filesystem::path path = [] {
    auto file = scratch() / "file";
    freshet::writer out{file, {.method = "buffered"}};
    freshet::write_array<other>(out, numbers());
    out.close();
    return file;
  }();
  return path;
}

template <typename Read>
void read_file(benchmark::State& state, Read read) {
  file_of_numbers();
  repeat(state, [&] {
    freshet::reader in{file_of_numbers(), {.method = "buffered"}};
    read(in);
  });
}

void read_bytes_in_bulk(benchmark::State& state) {
  read_file(state, [](freshet::reader& in) { in.read(std::as_writable_bytes(std::span{numbers()})); });
}
void read_in_bulk(benchmark::State& state) {
  read_file(state, [](freshet::reader& in) { freshet::binary_reader<other>{in}.read_array(numbers()); });
}
void read_one_by_one(benchmark::State& state) {
  read_file(state, [](freshet::reader& in) {
    const freshet::binary_reader<other> binary{in};
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += binary.read<std::uint32_t>();
    benchmark::DoNotOptimize(sum);
  });
}
void read_in_bulk_in_a_chosen_order(benchmark::State& state) {
  read_file(state, [](freshet::reader& in) { freshet::binary_reader{in, chosen()}.read_array(numbers()); });
}
void read_one_by_one_in_a_chosen_order(benchmark::State& state) {
  read_file(state, [](freshet::reader& in) {
    const freshet::binary_reader binary{in, chosen()};
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += binary.read<std::uint32_t>();
    benchmark::DoNotOptimize(sum);
  });
}

BENCHMARK(write_bytes_in_bulk)->Unit(benchmark::kMillisecond);
BENCHMARK(write_in_bulk)->Unit(benchmark::kMillisecond);
BENCHMARK(write_in_bulk_in_a_chosen_order)->Unit(benchmark::kMillisecond);
BENCHMARK(write_one_by_one)->Unit(benchmark::kMillisecond);
BENCHMARK(write_one_by_one_in_a_chosen_order)->Unit(benchmark::kMillisecond);
BENCHMARK(write_varints)->Unit(benchmark::kMillisecond);
BENCHMARK(read_bytes_in_bulk)->Unit(benchmark::kMillisecond);
BENCHMARK(read_in_bulk)->Unit(benchmark::kMillisecond);
BENCHMARK(read_in_bulk_in_a_chosen_order)->Unit(benchmark::kMillisecond);
BENCHMARK(read_one_by_one)->Unit(benchmark::kMillisecond);
BENCHMARK(read_one_by_one_in_a_chosen_order)->Unit(benchmark::kMillisecond);

}  // namespace
