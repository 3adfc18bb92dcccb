// A store with runs made by hand, for commands that read it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/freshet_command.hpp"
#include "tool/store/store.hpp"

namespace freshet::test {

/// A plan's seconds for files of a GB, in a run.
struct kept_plan {
  tool::trial_plan plan;
  std::vector<double> seconds;
  std::string reason = {};  ///< why all of them are invalid
  bool met_slow_memory = false;
};

/// Makes a store, and runs commands on it.
class kept_trials {
 public:
  static constexpr std::uint64_t size = 1'000'000'000;

  [[nodiscard]] static tool::trial_plan plan(const std::string& method, std::size_t block = 0, unsigned depth = 0,
                                             tool::io_class measured_class = tool::io_class::none) {
    return {.method = method, .block = block, .depth = depth, .measured_class = measured_class, .size = size};
  }

  /// Keeps a run of that day in March 2026.
  std::int64_t add_run(unsigned day, const std::vector<kept_plan>& plans, const std::string& file_system = "ext4") {
    tool::run begun;
    begun.command = "bench";
    begun.words = "freshet bench /data/" + file_system;
    begun.started = time(day, 0);
    begun.env.machine = "x86_64 Sample Processor";
    begun.env.kernel = "6.1." + std::to_string(day);
    begun.env.directory = "/data/" + file_system;
    begun.env.file_system_key = file_system + ":1";
    begun.env.file_system = file_system;
    begun.env.device = "vda";
    begun.env.version = "0.1.0";
    const std::int64_t id = store_.begin(begun);
    std::size_t most = 0;
    for (const kept_plan& one : plans) most = std::max(most, one.seconds.size());
    for (unsigned round = 0; round < most; ++round) {
      for (const kept_plan& one : plans)
        if (round < one.seconds.size()) add(id, day, one, round);
    }
    store_.end(id);
    return id;
  }

  [[nodiscard]] std::string path() const { return path_.string(); }

  [[nodiscard]] ended run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--store", path()});
    return freshet_.run(std::move(words));
  }

  [[nodiscard]] nlohmann::json json(std::vector<std::string> words) const {
    words.insert(words.end(), {"--json", "-"});
    return nlohmann::json::parse(run(std::move(words)).out);
  }

  [[nodiscard]] const freshet_command& command() const { return freshet_; }

 private:
  static std::string time(unsigned day, unsigned minute) {
    const auto digits = [](unsigned value) { return (value < 10 ? "0" : "") + std::to_string(value); };
    return "2026-03-" + digits(day) + "T12:" + digits(minute) + ":00Z";
  }

  void add(std::int64_t run, unsigned day, const kept_plan& one, unsigned round) {
    tool::trial_result trial;
    trial.plan = one.plan;
    trial.method = one.plan.method;
    trial.round = round;
    trial.started = time(day, round);
    trial.bytes = size;
    trial.seconds_to_close = one.seconds[round];
    trial.seconds_to_disk = 2 * one.seconds[round];
    trial.cpu_whole = 0.1;
    trial.met_slow_memory = one.met_slow_memory;
    if (!one.reason.empty()) {
      trial.validity = tool::trial_validity::invalid;
      trial.reasons = {one.reason};
    }
    tool::record kept = tool::make_record(trial);
    kept.run = run;
    store_.add(kept);
  }

  temporary_directory directory_;
  std::filesystem::path path_ = directory_.path() / "trials.sqlite";
  tool::store store_{path_, tool::store::access::write};
  freshet_command freshet_;
};

}  // namespace freshet::test
