// Measures the cost of a formatted number and of a printed line, with the streams of freshet, the standard library and
// fmt. All write to the same file in the page cache. Compare figures of one run only, for example
//   bench_streams --benchmark_repetitions=9 --benchmark_enable_random_interleaving=true
#include <benchmark/benchmark.h>
#include <fmt/os.h>
#include <freshet/format.hpp>
#include <freshet/stream.hpp>

#include <fstream>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include "scratch_directory.hpp"

namespace {

using freshet::bench::scratch;

constexpr std::size_t count = 4'000'000;

template <typename Number, typename Next>
std::vector<Number> numbers(Next next) {
  std::mt19937_64 random{1};
  std::vector<Number> values(count);
  for (auto& each : values) each = next(random);
  return values;
}

const std::vector<int>& uniform_ints() {
  static const auto values =
      numbers<int>([](auto& random) { return std::uniform_int_distribution{std::numeric_limits<int>::min()}(random); });
  return values;
}
const std::vector<int>& small_ints() {
  static const auto values = numbers<int>([](auto& random) { return std::uniform_int_distribution{0, 999}(random); });
  return values;
}
const std::vector<double>& unit_doubles() {
  static const auto values = numbers<double>([](auto& random) {
    return std::uniform_real_distribution{0.0, 1.0}(random);
  });
  return values;
}
const std::vector<double>& money() {
  static const auto values = numbers<double>([](auto& random) {
    return std::uniform_int_distribution{0, 10'000'000}(random) / 100.0;
  });
  return values;
}

// Every pass overwrites the same file, whose pages are already in the page cache.
template <typename Stream>
Stream open_again();
template <>
std::ofstream open_again() {
  std::ofstream{scratch() / "numbers", std::ios::app}.close();
  return std::ofstream{scratch() / "numbers", std::ios::in | std::ios::out};
}
template <>
freshet::ofstream open_again() {
  return freshet::ofstream{scratch() / "numbers", {.method = "buffered", .mode = freshet::open_mode::overwrite}};
}

template <typename Stream, typename KnownAs, const auto& Numbers>
void insert(benchmark::State& state) {
  const auto& values = Numbers();
  for (auto _ : state) {
    auto stream = open_again<Stream>();
    KnownAs& out = stream;
    for (const auto& value : values) out << value << '\n';
    stream.close();
    if (!stream) state.SkipWithError("cannot write");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
}

template <const auto& Numbers>
void insert_std(benchmark::State& state) {
  insert<std::ofstream, std::ofstream, Numbers>(state);
}
template <const auto& Numbers>
void insert_freshet(benchmark::State& state) {
  insert<freshet::ofstream, freshet::ofstream, Numbers>(state);
}
template <const auto& Numbers>
void insert_freshet_as_ostream(benchmark::State& state) {
  insert<freshet::ofstream, std::ostream, Numbers>(state);
}

BENCHMARK(insert_std<uniform_ints>)->Unit(benchmark::kMillisecond);
BENCHMARK(insert_freshet<uniform_ints>)->Unit(benchmark::kMillisecond);
BENCHMARK(insert_freshet_as_ostream<uniform_ints>)->Unit(benchmark::kMillisecond);
BENCHMARK(insert_std<small_ints>)->Unit(benchmark::kMillisecond);
BENCHMARK(insert_freshet<small_ints>)->Unit(benchmark::kMillisecond);
BENCHMARK(insert_freshet_as_ostream<small_ints>)->Unit(benchmark::kMillisecond);
BENCHMARK(insert_std<unit_doubles>)->Unit(benchmark::kMillisecond);
BENCHMARK(insert_freshet<unit_doubles>)->Unit(benchmark::kMillisecond);
BENCHMARK(insert_freshet_as_ostream<unit_doubles>)->Unit(benchmark::kMillisecond);
BENCHMARK(insert_std<money>)->Unit(benchmark::kMillisecond);
BENCHMARK(insert_freshet<money>)->Unit(benchmark::kMillisecond);
BENCHMARK(insert_freshet_as_ostream<money>)->Unit(benchmark::kMillisecond);

constexpr std::string_view tabs = "\t\t\t\t\t\t\t";
constexpr std::string_view names[] = {"Jack",          "Justin Michel",    "Fred Flintstone",
                                      "Barney Rubble", "Homer J. Simpson", "John Jacob Jingleheimer Schmidt"};

template <typename PrintLine>
void print_lines(PrintLine print_line) {
  for (std::size_t line = 1; line <= count; ++line) print_line(tabs.substr(0, line % 8), names[line % 6]);
}

void print_fmt(benchmark::State& state) {
  for (auto _ : state) {
    auto out = fmt::output_file((scratch() / "lines").string(), fmt::file::WRONLY | fmt::file::CREATE);
    print_lines(
        [&](auto begin, auto name) { out.print("{}All work and no play makes {} a dull boy.\n", begin, name); });
    out.close();
  }
}
void print_freshet(benchmark::State& state) {
  for (auto _ : state) {
    freshet::writer out{scratch() / "lines", {.method = "buffered", .mode = freshet::open_mode::overwrite}};
    print_lines([&](auto begin, auto name) {
      freshet::print(out, "{}All work and no play makes {} a dull boy.\n", begin, name);
    });
    out.close();
  }
}
void print_freshet_stream(benchmark::State& state) {
  for (auto _ : state) {
    freshet::ofstream out{scratch() / "lines", {.method = "buffered", .mode = freshet::open_mode::overwrite}};
    print_lines([&](auto begin, auto name) {
      freshet::print(out, "{}All work and no play makes {} a dull boy.\n", begin, name);
    });
    out.close();
  }
}

BENCHMARK(print_fmt)->Unit(benchmark::kMillisecond);
BENCHMARK(print_freshet)->Unit(benchmark::kMillisecond);
BENCHMARK(print_freshet_stream)->Unit(benchmark::kMillisecond);

}  // namespace
