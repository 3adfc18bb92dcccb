// What Google Benchmark itself writes, for a test to hold ours against it.
#include <benchmark/benchmark.h>

namespace {

void work(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(state.range(0));
  state.SetBytesProcessed(state.iterations());
  state.SetLabel("label");
}

BENCHMARK(work)->ArgName("block")->Arg(4)->Iterations(10)->Repetitions(3)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
