// A store with runs made by hand, for commands that read it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/freshet_command.hpp"
#include "tests/support/made_up_trials.hpp"
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
  static constexpr std::uint64_t size = gigabyte;

  [[nodiscard]] static tool::trial_plan plan(const std::string& method, std::size_t block = 0, unsigned depth = 0,
                                             tool::io_class measured_class = tool::io_class::none) {
    return {.method = method, .block = block, .depth = depth, .measured_class = measured_class, .size = size};
  }

  /// Keeps a run of that day in March 2026.
  std::int64_t add_run(unsigned day, const std::vector<kept_plan>& plans, const std::string& file_system = "ext4") {
    tool::run begun = make_run(day, "bench", file_system);
    begun.env.kernel = "6.1." + std::to_string(day);
    begun.id = store_.begin(begun);
    std::size_t most = 0;
    for (const kept_plan& one : plans) most = std::max(most, one.seconds.size());
    for (unsigned round = 0; round < most; ++round) {
      for (const kept_plan& one : plans)
        if (round < one.seconds.size()) add(begun, day, one, round);
    }
    store_.end(begun.id);
    return begun.id;
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
  void add(const tool::run& of, unsigned day, const kept_plan& one, unsigned round) {
    const made_up like{.disk = 2, .cpu = 0.1, .invalid = one.reason, .met_slow_memory = one.met_slow_memory};
    tool::trial_result trial = make_trial(one.plan, one.seconds[round], round, like);
    trial.started = made_up_time(day, round);
    for (tool::record& kept : keep({trial}, of)) store_.add(kept);
  }

  temporary_directory directory_;
  std::filesystem::path path_ = directory_.path() / "trials.sqlite";
  tool::store store_{path_, tool::store::access::write};
  freshet_command freshet_;
};

}  // namespace freshet::test
