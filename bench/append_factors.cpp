// Measures what determines the speed of direct asynchronous appends. Starts from 4 MiB blocks, one in flight, in a new
// file of 1 GiB, and changes one factor at a time; then measures all combinations of block size and depth. Uses src/os
// directly, without the writer's policy.
//   bench_append_factors --benchmark_repetitions=5 --benchmark_enable_random_interleaving=true
#include <benchmark/benchmark.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "scratch_directory.hpp"
#include "src/os/file.hpp"
#include "src/os/queue.hpp"

namespace {

using namespace freshet;

constexpr std::uint64_t KiB = 1024, MiB = 1024 * KiB, GiB = 1024 * MiB;
constexpr std::uint64_t file_size = 1 * GiB;

struct factors {
  std::size_t block = 4 * MiB;
  unsigned in_flight = 1;
  bool ring = true;  // io_uring if true, pwrite if false
  bool size_ahead = false;
  bool preallocate = false;
  bool registered = false;
  bool huge_pages = true;
};

void check(std::error_code error, const char* operation) {
  if (error) throw std::system_error{error, operation};
}

// Incompressible blocks in one mapping, with or without huge pages.
class blocks {
 public:
  explicit blocks(const factors& how) : length_{how.block * (how.in_flight + 1)}, block_{how.block} {
    auto* memory = detail::os::allocate_pages(std::max<std::size_t>(length_, 2 * MiB));
    if (memory == nullptr) throw std::bad_alloc{};
    memory_ = memory;
    madvise(memory_, length_, how.huge_pages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    std::mt19937_64 random{42};
    for (std::size_t at = 0; at < length_; at += sizeof(std::uint64_t)) {
      const auto word = random();
      std::memcpy(memory_ + at, &word, sizeof word);
    }
  }
  blocks(const blocks&) = delete;
  blocks& operator=(const blocks&) = delete;
  ~blocks() { detail::os::free_pages(memory_, std::max<std::size_t>(length_, 2 * MiB)); }
  [[nodiscard]] std::span<std::byte> operator[](unsigned k) const { return {memory_ + k * block_, block_}; }

 private:
  std::byte* memory_ = nullptr;
  std::size_t length_;
  std::size_t block_;
};

void append_by_ring(const detail::os::file& target, const factors& how, const blocks& memory) {
  std::error_code error;
  auto queue = detail::os::queue_lease::take(detail::os::queue_kind::uring, how.in_flight, error);
  check(error, "make a ring");
  queue->attach(target);
  if (how.registered)
    for (unsigned k = 0; k < how.in_flight; ++k) queue->use_memory(k, memory[k]);
  std::vector<unsigned> idle(how.in_flight);
  for (unsigned k = 0; k < how.in_flight; ++k) idle[k] = k;
  for (std::uint64_t offset = 0; offset < file_size || idle.size() < how.in_flight;) {
    if (offset < file_size && !idle.empty()) {
      queue->submit(idle.back(), memory[idle.back()], offset, error);
      check(error, "submit");
      idle.pop_back();
      offset += how.block;
      continue;
    }
    const auto done = queue->wait(error);
    check(error ? error : done.error, "write");
    if (done.transferred != how.block) throw std::runtime_error{"a short write"};
    idle.push_back(done.tag);
  }
  queue->detach();
}

void append_by_pwrite(detail::os::file& target, const factors& how, const blocks& memory) {
  std::error_code error;
  for (std::uint64_t offset = 0; offset < file_size; offset += how.block)
    if (target.write_at(memory[0], offset, error) != how.block) throw std::runtime_error{"a short write"};
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void append(benchmark::State& state, const factors& how) {
  const blocks memory{how};
  const auto path = bench::scratch() / "appended";
  double cpu = 0;
  for (auto _ : state) {
    state.PauseTiming();
    std::filesystem::remove(path);
    std::error_code error;
    auto target = detail::os::file::open(path, {}, error);
    check(error, "open");
    detail::os::sync_file_system(target, error);
    const double before = cpu_seconds();
    state.ResumeTiming();
    target.set_direct(true, error);
    check(error, "set O_DIRECT");
    if (how.preallocate) target.preallocate(0, file_size, error);
    check(error, "preallocate");
    if (how.size_ahead) target.set_size(file_size, error);
    check(error, "set the size");
    if (how.ring)
      append_by_ring(target, how, memory);
    else
      append_by_pwrite(target, how, memory);
    target.sync_data(error);
    check(error, "sync");
    cpu += cpu_seconds() - before;
  }
  std::filesystem::remove(path);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(file_size));
  state.counters["cpu_s_per_GiB"] = cpu / static_cast<double>(state.iterations());
}

void add(const std::string& name, const factors& how) {
  benchmark::RegisterBenchmark(name.c_str(), [how](benchmark::State& state) { append(state, how); })
      ->UseRealTime()
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
}

[[maybe_unused]] const bool registered = [] {
  add("factor/centre", {});
  add("factor/small_pages", {.huge_pages = false});
  add("factor/small_pages_registered", {.registered = true, .huge_pages = false});
  add("factor/registered", {.registered = true});
  add("factor/size_ahead", {.size_ahead = true});
  add("factor/preallocated", {.preallocate = true});
  add("factor/size_ahead_preallocated", {.size_ahead = true, .preallocate = true});
  add("factor/pwrite", {.ring = false});
  for (const std::size_t block : {256 * KiB, 1 * MiB, 4 * MiB, 8 * MiB, 16 * MiB})
    for (const unsigned in_flight : {1U, 2U, 4U, 16U})
      add("grid/" + std::to_string(block / KiB) + "K/in_flight:" + std::to_string(in_flight),
          {.block = block, .in_flight = in_flight});
  return true;
}();

}  // namespace
