#include "tool/sweep/pace.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tool/base/interrupt.hpp"
#include "tool/measure/clock.hpp"
#include "tool/workload/line_cipher.hpp"

namespace freshet::tool {
namespace {

// One line again and again, until that took some time.
double seconds_per_byte(const cipher_plan& plan, std::uint64_t chars) {
  constexpr double enough = 0.02;
  constexpr std::uint64_t bytes_at_once = 4096;  // between two looks at the clock
  line_cipher cipher{plan};
  const std::string line(static_cast<std::size_t>(chars), 'x');
  std::vector<char> room(cipher.room_for(line.size()));
  const std::uint64_t lines_at_once = std::max<std::uint64_t>(1, bytes_at_once / (chars + 1));
  std::uint64_t lines = 0;
  const stopwatch watch;
  while (watch.seconds() < enough) {
    throw_if_interrupted();
    for (std::uint64_t line_of_some = 0; line_of_some < lines_at_once; ++line_of_some)
      static_cast<void>(cipher.transform(line, room));
    lines += lines_at_once;
  }
  return watch.seconds() / static_cast<double>(lines * (chars + 1));
}

}  // namespace

double predicted_seconds(const sweep_plan& plan, const sweep_cell& cell, double scale, const sweep_pace& pace) {
  const corpus_plan corpus = scaled(plan, cell.corpus, scale);
  const auto bytes = static_cast<double>(corpus_bytes(corpus));
  const auto passes = pace.passes.find({corpus.chars, cell.work});
  const double of_passes = passes == pace.passes.end() ? 0 : passes->second;
  const unsigned at_once = std::min({cell.threads * plan.ranks, pace.processors, corpus.files});
  return corpus.files * pace.per_file + bytes * (pace.per_byte + of_passes / at_once);
}

double predicted_between(const sweep_plan& plan, std::size_t corpus, double scale, const sweep_pace& pace) {
  return pace.between + pace.between_per_byte * static_cast<double>(corpus_bytes(scaled(plan, corpus, scale)));
}

// To delete a file takes about as long as to make one.
double predicted_removal(const sweep_plan& plan, double scale, unsigned rounds, const sweep_pace& pace) {
  double files = 0;
  for (const sweep_cell& cell : cells_of(plan)) files += scaled(plan, cell.corpus, scale).files;
  return files * rounds * pace.per_file;
}

double predicted_seconds(const sweep_plan& plan, double scale, unsigned rounds, const sweep_pace& pace) {
  double seconds = predicted_removal(plan, scale, rounds, pace);
  for (std::size_t corpus = 0; corpus < plan.corpora.size(); ++corpus)
    seconds += predicted_seconds(plan, {.corpus = corpus, .how = {}}, scale, pace);
  for (const sweep_cell& cell : cells_of(plan)) {
    seconds +=
        rounds * (predicted_seconds(plan, cell, scale, pace) + predicted_between(plan, cell.corpus, scale, pace));
    seconds += pace.check_per_byte * static_cast<double>(corpus_bytes(scaled(plan, cell.corpus, scale)));
  }
  return seconds;
}

double fitting_scale(const sweep_plan& plan, unsigned rounds, double seconds, std::uint64_t bytes,
                     const sweep_pace& pace) {
  const auto fits = [&](double scale) {
    sweep_plan smaller = plan;
    smaller.scale = scale;
    return predicted_seconds(plan, scale, rounds, pace) <= seconds && bytes_written_by(smaller, rounds) <= bytes;
  };
  constexpr int thousandth = 1000;  // what is told of a scale has three digits, and can be given again
  auto low = static_cast<int>(std::lround(least_fitting_scale * thousandth));
  int high = thousandth + 1;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (fits(static_cast<double>(middle) / thousandth) ? low : high) = middle;
  }
  return static_cast<double>(low) / thousandth;
}

void measure_passes(const sweep_plan& plan, sweep_pace& pace) {
  for (const corpus_shape& corpus : plan.corpora) {
    const double none = seconds_per_byte({.cipher = plan.cipher, .work = 0}, corpus.chars);
    for (const unsigned work : plan.work)
      if (work != 0)
        pace.passes[{corpus.chars, work}] =
            std::max(0.0, seconds_per_byte({.cipher = plan.cipher, .work = work}, corpus.chars) - none);
  }
}

}  // namespace freshet::tool
