#include "tool/sweep/scale.hpp"

#include <cmath>

namespace freshet::tool {
namespace {

// About what it takes to create a file (doc/decisions/0014-sweep.md).
constexpr double seconds_per_removed_file = 5e-5;

}  // namespace

// The time between trials is spent on waiting, mostly; all other time grows with the files.
double predict_seconds(const sweep_plan& plan, const round_times& measured, double scale, unsigned rounds) {
  sweep_plan larger = plan;
  larger.scale = scale;
  const auto corpora_growth =
      static_cast<double>(bytes_written_by(larger, 0)) / static_cast<double>(bytes_written_by(plan, 0));
  double round = 0;
  double files = 0;
  const std::vector<sweep_cell> cells = list_cells(plan);
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    const unsigned scaled_files = scale_corpus(larger, cells[cell].corpus).files;
    const double growth = static_cast<double>(scaled_files) / scale_corpus(plan, cells[cell].corpus).files;
    round += measured.between_trials + growth * (measured.trials[cell] - measured.between_trials);
    files += scaled_files;
  }
  return measured.corpora * corpora_growth + rounds * (round + files * seconds_per_removed_file);
}

double find_fitting_scale(const sweep_plan& plan, const round_times& measured, unsigned rounds, double seconds,
                          std::uint64_t bytes) {
  const auto fits = [&](double scale) {
    sweep_plan larger = plan;
    larger.scale = scale;
    return predict_seconds(plan, measured, scale, rounds) <= seconds && bytes_written_by(larger, rounds) <= bytes;
  };
  constexpr int steps = 1000;  // a scale that is printed with three digits can be given again
  auto low = static_cast<int>(std::lround(plan.scale * steps));
  int high = steps + 1;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (fits(static_cast<double>(middle) / steps) ? low : high) = middle;
  }
  return static_cast<double>(low) / steps;
}

}  // namespace freshet::tool
