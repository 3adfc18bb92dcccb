#include "lab/sweep/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lab/encrypt/line_cipher.hpp"
#include "lab/encrypt/manifest.hpp"
#include "tool/base/json_optional.hpp"
#include "tool/base/option_names.hpp"
#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

// About what it takes to create a file (doc/decisions/0014-sweep.md).
constexpr double seconds_per_removed_file = 5e-5;

sweep_plan at_scale(sweep_plan plan, double scale) {
  plan.scale = scale;
  return plan;
}

}  // namespace

std::span<const corpus_shape> sweep_corpora() {
  static const std::array<corpus_shape, 5> shapes{{{"small-files", 10'000, 100, 100},
                                                   {"short-lines", 100, 500'000, 20},
                                                   {"long-lines", 100, 100, 100'000},
                                                   {"large-files", 20, 100'000, 1000},
                                                   {"mixed", 1000, 1000, 100, true}}};
  return shapes;
}

std::span<const corpus_shape> usual_corpora() { return sweep_corpora().first(4); }

std::vector<sweep_cell> list_cells(const sweep_plan& plan) {
  std::vector<sweep_cell> cells;
  for (std::size_t corpus = 0; corpus < plan.corpora.size(); ++corpus)
    for (const unsigned threads : plan.threads)
      for (const wanted_strategy& how : plan.strategies)
        for (const std::size_t buffer : how == strategy::async ? std::vector<std::size_t>{0} : plan.buffers)
          for (const unsigned work : plan.work) cells.push_back({corpus, how, threads, work, buffer});
  return cells;
}

corpus_plan scale_corpus(const sweep_plan& plan, std::size_t corpus) {
  const corpus_shape& full = plan.corpora[corpus];
  if (full.is_given()) return {.files = full.files};
  const unsigned least = std::min(full.files, std::max(2U, std::ranges::max(plan.threads) * plan.ranks));
  const auto proportional = static_cast<unsigned>(std::lround(full.files * plan.scale));
  return {.files = std::max(least, proportional),
          .lines = full.lines,
          .chars = full.chars,
          .vary = full.vary,
          .seed = plan.seed};
}

std::uint64_t output_bytes(const corpus_plan& corpus) noexcept {
  return corpus.files * corpus.lines * (encrypted_length(corpus.chars) + 1);
}

text_volume volume_of(const sweep_plan& plan, std::size_t corpus) {
  if (plan.corpora[corpus].is_given()) return plan.corpora[corpus].volume;
  const corpus_plan files = scale_corpus(plan, corpus);
  return {.files = files.files,
          .lines = files.files * files.lines,
          .bytes = corpus_bytes(files),
          .bytes_out = output_bytes(files)};
}

std::uint64_t bytes_written_by(const sweep_plan& plan, unsigned rounds) {
  const std::uint64_t cells_of_each = list_cells(plan).size() / plan.corpora.size();
  std::uint64_t bytes = 0;
  for (std::size_t corpus = 0; corpus < plan.corpora.size(); ++corpus) {
    const text_volume files = volume_of(plan, corpus);
    bytes += (plan.corpora[corpus].is_given() ? 0 : files.bytes) + cells_of_each * rounds * files.bytes_out;
  }
  return bytes;
}

space_needed space_needed_by(const sweep_plan& plan) {
  space_needed need;
  for (std::size_t corpus = 0; corpus < plan.corpora.size(); ++corpus) {
    const text_volume files = volume_of(plan, corpus);
    if (!plan.corpora[corpus].is_given()) need.corpora += files.bytes;
    need.outputs = std::max(need.outputs, files.bytes_out);
  }
  return need;
}

std::string describe_way(const sweep_cell& cell) {
  return name_of(cell.how) + (cell.buffer == 0 ? "" : fmt::format(", buffers of {}", format_size(cell.buffer)));
}

std::string describe(const sweep_cell& cell) {
  return fmt::format("{}, {}, work {}", describe_way(cell), format_count(cell.threads, "thread"), cell.work);
}

nlohmann::json make_json(const sweep_plan& plan, const sweep_cell& cell) {
  nlohmann::json out{{"corpus", plan.corpora[cell.corpus].name},
                     {"strategy", name_of(cell.how)},
                     {"threads", cell.threads},
                     {"work", cell.work}};
  // Equal plans of earlier versions have neither.
  if (cell.buffer != 0) out["buffer"] = cell.buffer;
  if (plan.access) out["access"] = to_string(*plan.access);
  return out;
}

void to_json(nlohmann::json& out, const sweep_plan& plan) {
  nlohmann::json corpora = nlohmann::json::array();
  for (std::size_t corpus = 0; corpus < plan.corpora.size(); ++corpus) {
    const corpus_plan files = scale_corpus(plan, corpus);
    const corpus_shape& full = plan.corpora[corpus];
    corpora.push_back({{"name", full.name}, {"files", files.files}, {"bytes", volume_of(plan, corpus).bytes}});
    if (full.is_given())
      corpora.back()["directory"] = full.directory.string();
    else
      corpora.back().update({{"lines", files.lines}, {"chars", files.chars}, {"vary", files.vary}});
  }
  nlohmann::json strategies = nlohmann::json::array();
  for (const wanted_strategy& how : plan.strategies) strategies.push_back(name_of(how));
  out = {{"corpora", corpora},
         {"strategies", strategies},
         {"threads", plan.threads},
         {"work", plan.work},
         {"cipher", to_string(plan.cipher)},
         {"streams", to_string(plan.streams)},
         {"buffers", plan.buffers},
         {"access", plan.access ? nlohmann::json(to_string(*plan.access)) : nlohmann::json(nullptr)},
         {"cache", plan.cold ? "cold" : "warm"},
         {"scale", plan.scale},
         {"rounds", plan.rounds},
         {"seconds", plan.seconds},
         {"seed", plan.seed},
         {"ranks", plan.ranks}};
}

// The time between trials is spent on waiting, mostly; all other time grows with the files.
double predict_seconds(const sweep_plan& plan, const round_times& measured, double scale, unsigned rounds) {
  const sweep_plan larger = at_scale(plan, scale);
  const auto corpora_growth =
      static_cast<double>(bytes_written_by(larger, 0)) / static_cast<double>(bytes_written_by(plan, 0));
  double round = 0;
  const std::vector<sweep_cell> cells = list_cells(plan);
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    const double files = scale_corpus(larger, cells[cell].corpus).files;
    const double growth = files / scale_corpus(plan, cells[cell].corpus).files;
    round += measured.between_trials + growth * (measured.trials[cell] - measured.between_trials) +
             files * seconds_per_removed_file;
  }
  return measured.corpora * corpora_growth + rounds * round;
}

double find_fitting_scale(const sweep_plan& plan, const round_times& measured, unsigned rounds, double seconds,
                          std::uint64_t bytes) {
  constexpr int steps = 1000;  // a scale that is printed with three digits can be given again
  for (int step = steps; step > std::lround(plan.scale * steps); --step) {
    const double scale = static_cast<double>(step) / steps;
    if (predict_seconds(plan, measured, scale, rounds) <= seconds &&
        bytes_written_by(at_scale(plan, scale), rounds) <= bytes)
      return scale;
  }
  return plan.scale;
}

}  // namespace freshet::tool
