// Synthetic runs and trials as a store keeps them; always the same ones.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/made_up_trials.hpp"
#include "tool/store/record.hpp"

namespace freshet::test {

/// Figures between 0 and 1 that look random.
class noise {
 public:
  double next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state_ >> 40) / static_cast<double>(1U << 24);
  }

 private:
  std::uint64_t state_ = 42;
};

/// `days` after 2026-03-01, at 12:00 and so many seconds.
[[nodiscard]] inline std::string sample_time(unsigned days, unsigned seconds) {
  return fmt::format("2026-03-{:02}T12:{:02}:{:02}Z", 1 + days % 28, seconds / 60 % 60, seconds % 60);
}

/// A method's speed and CPU cost.
struct sample_method {
  const char* name;
  double rate;  ///< MB/s until the program may go on
  double durable;
  double cpu;  ///< seconds per GB
};

inline constexpr std::array sample_methods{
    sample_method{"buffered", 2100, 900, 0.52},   sample_method{"writebehind", 1800, 1500, 0.61},
    sample_method{"dontcache", 2300, 2200, 0.48}, sample_method{"direct", 2900, 2800, 0.11},
    sample_method{"uring", 3300, 3200, 0.04},     sample_method{"libaio", 3100, 2950, 0.05}};

/// Creates trials with ids from 1 on.
class sample_trials {
 public:
  explicit sample_trials(std::function<void(tool::record&&)> take) : take_{std::move(take)} {}

  /// Each method with each block, in rounds: four rounds of a bench.
  void add_bench(std::int64_t run, tool::workload_kind workload, tool::io_class measured_class, unsigned rounds,
                 double drift = 0) {
    for (unsigned round = 0; round < rounds; ++round) {
      unsigned position = 0;
      for (const sample_method& method : sample_methods)
        for (const unsigned power : {16U, 18U, 20U, 22U})
          add(run, made_by(method, std::size_t{1} << power, workload, measured_class), round, position++,
              1 - drift * round / rounds);
    }
  }

  /// Strategies by threads and work.
  void add_sweep(std::int64_t run, const std::string& corpus, unsigned rounds) {
    for (unsigned round = 0; round < rounds; ++round)
      for (const unsigned work : {0U, 100U, 1000U})
        for (const unsigned threads : {1U, 2U, 4U})
          for (const char* const strategy : {"streaming", "buffering", "auto"})
            add_cell(run, corpus, strategy, threads, work, round);
  }

  /// Adds a trial whose names could end the script that contains them.
  void add_hostile(std::int64_t run) {
    tool::record stored = blank(run, "text", "</script><script>alert(1)</script>");
    stored.figures.plan.method = stored.method;
    stored.label = "<b>bold</b> & \"quoted\"";
    finish(std::move(stored), 2, 3, 0.5);
  }

  [[nodiscard]] std::int64_t count() const { return last_id_; }

 private:
  static tool::record blank(std::int64_t run, const std::string& workload, const std::string& method) {
    tool::record stored;
    stored.run = run;
    stored.workload = workload;
    stored.method = method;
    stored.label = method;
    stored.plan = {{"method", method}};
    stored.extra = nlohmann::json::object();
    stored.figures = make_trial({.method = method}, 1);
    return stored;
  }

  static tool::record made_by(const sample_method& method, std::size_t block, tool::workload_kind workload,
                              tool::io_class measured_class) {
    tool::record stored = blank(0, std::string{tool::to_string(workload)}, method.name);
    tool::trial_plan& plan = stored.figures.plan;
    plan.method = method.name;
    plan.block = block;
    plan.workload = workload;
    plan.measured_class = measured_class;
    stored.label = tool::describe(plan);
    stored.plan = plan;
    // Smaller blocks need more calls.
    const double slower = 1 + 60'000.0 / static_cast<double>(block);
    stored.figures.seconds_to_close = 1e3 / method.rate * slower;
    stored.figures.seconds_to_disk = 1e3 / method.durable * slower;
    stored.figures.cpu_whole = method.cpu * slower;
    stored.figures.extents = block > 1'000'000 ? 4 : 37;
    return stored;
  }

  void add(std::int64_t run, tool::record stored, unsigned round, unsigned position, double speed) {
    stored.run = run;
    tool::trial_result& figures = stored.figures;
    figures.round = round;
    figures.position = position;
    const bool invalid = last_id_ % 41 == 40;
    const double times = (0.97 + 0.06 * chance_.next()) / speed * (invalid ? 3 : 1);
    if (invalid) {
      figures.validity = tool::trial_validity::invalid;
      figures.reasons = {"the file does not hold what was to be written"};
    }
    figures.device_writes = 1000 + static_cast<std::uint64_t>(1e9 / static_cast<double>(figures.plan.block));
    figures.device_merges = 12;
    figures.device_bytes = 1'003'000'000;
    for (int call = 0; call < 200; ++call)
      figures.block_latency.add(static_cast<std::uint64_t>(static_cast<double>(figures.plan.block) / 3 *
                                                           (0.8 + chance_.next()) * (call % 67 == 66 ? 30 : 1)));
    for (int step = 0; step < 40; ++step)
      figures.over_time.add(step * figures.seconds_to_close / 40,
                            static_cast<std::uint64_t>(25e6 * (1 - 0.004 * step + 0.1 * chance_.next())));
    const double cpu = figures.cpu_whole * (0.9 + 0.2 * chance_.next());
    finish(std::move(stored), figures.seconds_to_close * times, figures.seconds_to_disk * times, cpu);
  }

  void add_cell(std::int64_t run, const std::string& corpus, const std::string& strategy, unsigned threads,
                unsigned work, unsigned round) {
    tool::record stored = blank(run, "lines", strategy);
    stored.label = fmt::format("{}, {} thread{}, work {}", strategy, threads, threads == 1 ? "" : "s", work);
    stored.plan = {{"corpus", corpus}, {"strategy", strategy}, {"threads", threads}, {"work", work}, {"cipher", "xor"}};
    stored.figures.plan.measured_class = tool::io_class::warm;
    stored.figures.plan.jobs = threads;
    stored.figures.round = round;
    const double waits = strategy == "buffering" ? 0.9 : strategy == "streaming" ? 0.7 : 0.5;
    const double passes = 0.008 * work;
    const double busy = 0.3 + passes;
    const double seconds = (waits + busy / threads) * (0.98 + 0.04 * chance_.next());
    stored.extra["cpu_to_close"] = work >= 1000 ? seconds * threads * 0.96 : busy;
    finish(std::move(stored), seconds, seconds * 1.1, busy);
  }

  void finish(tool::record stored, double close, double disk, double cpu) {
    stored.id = ++last_id_;
    tool::trial_result& figures = stored.figures;
    figures.method = stored.method;
    figures.started = sample_time(static_cast<unsigned>(stored.run), static_cast<unsigned>(last_id_ % 1800));
    figures.seconds_to_close = close;
    figures.seconds_to_disk = disk;
    figures.cpu_whole = cpu;
    figures.cpu_process = cpu / 2;
    figures.write_calls = 1000;
    figures.peak_memory = 8 << 20;
    take_(std::move(stored));
  }

  std::function<void(tool::record&&)> take_;
  std::int64_t last_id_ = 0;
  noise chance_;
};

[[nodiscard]] inline std::vector<tool::run> sample_runs() {
  return {make_run(1), make_run(2), make_run(3, "sweep"), make_run(4, "bench", "tmpfs")};
}

/// Adds all kinds of trials that a report shows, for sample_runs().
inline void make_sample(sample_trials& trials) {
  using tool::io_class;
  using tool::workload_kind;
  trials.add_bench(1, workload_kind::text, io_class::none, 7);
  trials.add_bench(1, workload_kind::text, io_class::at_close, 7);
  trials.add_bench(2, workload_kind::text, io_class::none, 6, 0.3);
  trials.add_bench(2, workload_kind::blocks, io_class::cold, 6);
  trials.add_sweep(3, "small-files", 3);
  trials.add_sweep(3, "large-files", 3);
  trials.add_bench(4, workload_kind::blocks, io_class::none, 5);
}

}  // namespace freshet::test
