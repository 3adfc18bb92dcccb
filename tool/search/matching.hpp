// Sorts the trials of two sides by what they have in common.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tool/search/significance.hpp"
#include "tool/store/record.hpp"

namespace freshet::tool {

/// The figure that is compared.
enum class metric : std::uint8_t {
  ranking,  ///< the time that the class ranks by
  close,    ///< the time until the program may go on
  disk,     ///< the time until the device has everything
  cpu,      ///< the whole machine's CPU time
};

/// What two sides have in common.
enum class matching : std::uint8_t {
  plans,    ///< everything: the same plan, measured twice
  methods,  ///< everything but the method. If no two blocks (or depths) are equal, the best of each side are compared
};

/// A plan that both sides measured. Figures are seconds per GB.
struct matched_plan {
  std::string place;  ///< as it was passed to add(); may be empty
  std::string workload;
  io_class measured_class = io_class::none;
  std::uint64_t size = 0;             ///< bytes per file
  std::array<std::string, 2> labels;  ///< of each side, for people
  sample_pair figures;
};

struct matched_plans {
  std::vector<matched_plan> common;
  std::array<std::size_t, 2> trials = {};        ///< of each side in all
  std::array<std::size_t, 2> unmatched = {};     ///< plans that only this side has
  std::map<std::string, std::size_t> left_out;   ///< number of unusable trials by reason
  std::array<std::vector<io_class>, 2> classes;  ///< that each side has, in their order
};

/// Whether the trial was only a warm-up, which is not ranked.
[[nodiscard]] bool is_warm_up(const record& stored);
/// Whether a process of its own wrote the trial's file, to predict what programs get.
[[nodiscard]] bool is_program(const record& stored);
/// Whether the trial's program was raced along to compare with, and could not win.
[[nodiscard]] bool is_baseline(const record& stored);

/// Whether the trial explains the machine, apart from the rankings of its run.
[[nodiscard]] bool is_diagnosis(const record& stored);

/// Collects the trials of the sides 0 and 1, except warm-ups and diagnoses, whose rounds are not those of the ranking.
class plan_matcher {
 public:
  plan_matcher(matching how, metric which) : how_{how}, which_{which} {}

  /// Trials of different places are never compared; `place` is empty if the places themselves are compared.
  void add(std::size_t side, const record& stored, const std::string& place);

  [[nodiscard]] matched_plans result() const;

 private:
  struct plan_trials {
    std::string method;
    std::string label;
    std::size_t block = 0;
    unsigned depth = 0;
    std::vector<double> figures;
    std::map<std::pair<std::int64_t, unsigned>, double> of_round;  // by run and round
  };
  struct task {
    std::string place;
    std::string workload;
    io_class measured_class = io_class::none;
    std::uint64_t size = 0;
    std::array<std::map<std::string, plan_trials>, 2> sides;  // by the rest of the plan
  };

  static std::vector<pairing> pair_rounds(const plan_trials& first, const plan_trials& second);
  void match(const task& both, matched_plans& matched) const;

  matching how_;
  metric which_;
  std::map<std::string, task> tasks_;
  std::array<std::size_t, 2> trials_ = {};
  std::array<std::set<io_class>, 2> classes_;
  std::map<std::string, std::size_t> left_out_;
};

/// "ranking", "close", "disk", "cpu".
[[nodiscard]] std::string_view to_string(metric which);

}  // namespace freshet::tool
