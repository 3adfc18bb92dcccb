// A sweep whose trials took as long as a test says.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lab/sweep/sweep.hpp"
#include "tests/support/made_up_trials.hpp"

namespace freshet::test {

/// Trials of one corpus by streaming, buffering and auto.
class invented_sweep {
 public:
  explicit invented_sweep(std::vector<unsigned> work, std::vector<unsigned> threads = {1, 2}) {
    result.plan.corpora = {tool::usual_corpora().back()};
    result.plan.work = std::move(work);
    result.plan.threads = std::move(threads);
    result.rounds = 3;
    result.processors = 2;
  }

  static tool::sweep_cell cell(tool::wanted_strategy how, unsigned threads, unsigned work) {
    return {0, how, threads, work};
  }

  /// Adds a trial to each round, with these seconds, in which the threads are busy for this share of the time.
  void add(const tool::sweep_cell& cell, const std::vector<double>& seconds, double busy = 0.5) {
    for (unsigned round = 0; round < seconds.size(); ++round) {
      tool::sweep_trial each;
      each.cell = cell;
      each.cpu_to_close = busy * seconds[round] * cell.threads;
      each.figures = make_trial({}, seconds[round], round, {.bytes = 100'000'000, .cpu = each.cpu_to_close + 1});
      each.figures.seconds_to_disk = seconds[round] + 1;
      each.figures.peak_memory = 3 << 20;
      each.chosen = tool::to_string(cell.how.value_or(tool::strategy::pipelined));
      if (!cell.how) each.why = "large blocks are read faster";
      result.trials.push_back(each);
    }
  }
  /// The same for every strategy and number of threads.
  void add_all(unsigned work, const std::vector<double>& seconds, double busy = 0.5) {
    for (const unsigned threads : result.plan.threads)
      for (const tool::wanted_strategy& how : result.plan.strategies) add(cell(how, threads, work), seconds, busy);
  }
  void spoil(std::size_t trial, const std::string& reason) {
    result.trials[trial].figures.validity = tool::trial_validity::invalid;
    result.trials[trial].figures.reasons.push_back(reason);
  }

  tool::sweep_result result;
};

}  // namespace freshet::test
