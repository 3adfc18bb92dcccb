#include "tool/sweep/findings.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace freshet::tool {
namespace {

std::vector<const sweep_trial*> valid_trials(const sweep_result& made, const sweep_cell& cell) {
  std::vector<const sweep_trial*> trials;
  for (const sweep_trial& each : made.trials) {
    if (each.cell != cell) continue;
    if (has_failed(each)) return {};
    if (is_valid(each)) trials.push_back(&each);
  }
  return trials;
}

template <typename Figure>
std::vector<double> values_of(const std::vector<const sweep_trial*>& trials, Figure figure) {
  std::vector<double> values;
  for (const sweep_trial* each : trials) values.push_back(static_cast<double>(figure(*each)));
  return values;
}

// Threads beyond the processors can't be busy.
double busy_share_of(const sweep_result& made, const sweep_trial& trial_result) {
  const unsigned at_once = std::min(trial_result.cell.threads * made.plan.ranks, made.processors);
  return trial_result.cpu_to_close / (trial_result.figures.seconds_to_close * at_once);
}

double seconds_of(const sweep_trial& made) { return made.figures.seconds_to_close; }

void count_trials(cell_figures& figures, const sweep_result& made, const sweep_cell& cell) {
  for (const sweep_trial& each : made.trials) {
    if (each.cell != cell) continue;
    ++figures.trials;
    if (has_failed(each)) {
      if (figures.failed++ == 0) figures.failure = each.failure;
    } else if (!is_valid(each)) {
      ++figures.invalid;
      figures.reasons.insert(each.figures.reasons.begin(), each.figures.reasons.end());
    }
  }
}

void enter_medians(cell_figures& figures, const sweep_result& made, const std::vector<const sweep_trial*>& trials) {
  const std::vector<double> seconds = values_of(trials, seconds_of);
  figures.seconds = estimate_median(seconds);
  figures.spread = median_deviation(seconds) / figures.seconds.value;
  figures.seconds_to_disk =
      median(values_of(trials, [](const sweep_trial& each) { return each.figures.seconds_to_disk; }));
  figures.megabytes = median(values_of(trials, [](const sweep_trial& each) { return each.figures.rate_to_close(); }));
  figures.cpu = median(values_of(trials, [](const sweep_trial& each) { return each.figures.cpu_whole; }));
  figures.busy = median(values_of(trials, [&](const sweep_trial& each) { return busy_share_of(made, each); }));
  // Where it is known of one trial, it is of all.
  if (trials.front()->peak_memory)
    figures.peak_memory = static_cast<std::uint64_t>(
        median(values_of(trials, [](const sweep_trial& each) { return each.peak_memory.value_or(0); })));
}

std::vector<unsigned> levels_of(const sweep_plan& plan) {
  std::vector<unsigned> levels = plan.work;
  std::ranges::sort(levels);
  return levels;
}

// Seconds of a cell's valid trials by round.
std::map<unsigned, double> seconds_by_round(const sweep_result& made, const sweep_cell& cell) {
  std::map<unsigned, double> seconds;
  for (const sweep_trial* each : valid_trials(made, cell)) seconds[each->figures.round] = seconds_of(*each);
  return seconds;
}

sweep_cell beside(sweep_cell cell, contender how) {
  cell.how = how;
  return cell;
}

std::optional<auto_ratio> ratio_of(const sweep_result& made, const sweep_cell& cell) {
  const cell_figures streaming = figures_of(made, beside(cell, strategy::streaming));
  const cell_figures buffering = figures_of(made, beside(cell, strategy::buffering));
  if (streaming.valid == 0 || buffering.valid == 0) return {};
  const strategy best = streaming.seconds.value <= buffering.seconds.value ? strategy::streaming : strategy::buffering;
  const auto others = seconds_by_round(made, beside(cell, best));
  std::vector<pairing> pairs;
  for (const auto& [round, seconds] : seconds_by_round(made, cell))
    if (const auto other = others.find(round); other != others.end()) pairs.push_back({other->second, seconds});
  if (pairs.empty()) return {};
  return auto_ratio{cell, best, estimate_paired_ratio(pairs)};
}

bool is_slower(const auto_ratio& one, const auto_ratio& other) { return one.ratio.value < other.ratio.value; }

nlohmann::json in_json(const sweep_plan& plan, const sweep_cell& cell) {
  return {{"corpus", plan.corpora[cell.corpus].name},
          {"strategy", name_of(cell.how)},
          {"threads", cell.threads},
          {"work", cell.work}};
}

nlohmann::json cells_in_json(const sweep_result& made) {
  nlohmann::json cells = nlohmann::json::array();
  for (const sweep_cell& cell : cells_of(made.plan)) {
    const cell_figures figures = figures_of(made, cell);
    nlohmann::json out = in_json(made.plan, cell);
    out["valid"] = figures.valid;
    out["invalid"] = figures.invalid;
    out["failed"] = figures.failed;
    out["failure"] = figures.failed != 0 ? nlohmann::json(figures.failure) : nlohmann::json(nullptr);
    if (figures.valid != 0) {
      out["seconds"] = figures.seconds.value;
      out["seconds_low"] = figures.seconds.range.low;
      out["seconds_high"] = figures.seconds.range.high;
      out["spread"] = figures.spread;
      out["seconds_to_disk"] = figures.seconds_to_disk;
      out["mb_per_second"] = figures.megabytes;
      out["cpu_whole"] = figures.cpu;
      out["busy"] = figures.busy;
      out["peak_memory"] = figures.peak_memory ? nlohmann::json(*figures.peak_memory) : nlohmann::json(nullptr);
      out["chosen"] = figures.chosen;
      out["why"] = figures.why;
    }
    cells.push_back(std::move(out));
  }
  return cells;
}

nlohmann::json ratios_in_json(const sweep_result& made) {
  nlohmann::json ratios = nlohmann::json::array();
  for (const auto_ratio& each : auto_ratios(made)) {
    nlohmann::json out = in_json(made.plan, each.cell);
    out["against"] = name_of(each.against);
    out["ratio"] = each.ratio.value;
    out["low"] = each.ratio.range.low;
    out["high"] = each.ratio.range.high;
    ratios.push_back(std::move(out));
  }
  return ratios;
}

nlohmann::json limits_in_json(const sweep_result& made) {
  nlohmann::json limits = nlohmann::json::array();
  for (std::size_t corpus = 0; corpus < made.plan.corpora.size(); ++corpus) {
    const cpu_limit found = find_cpu_limit(made, corpus);
    nlohmann::json levels = nlohmann::json::array();
    for (const work_load& each : found.levels) {
      levels.push_back(in_json(made.plan, each.fastest));
      levels.back()["busy"] = each.busy;
    }
    limits.push_back({{"corpus", made.plan.corpora[corpus].name},
                      {"cpu_bound_from_work", found.from ? nlohmann::json(*found.from) : nlohmann::json(nullptr)},
                      {"complete", found.complete},
                      {"fastest", levels}});
  }
  return limits;
}

}  // namespace

cell_figures figures_of(const sweep_result& made, const sweep_cell& cell) {
  cell_figures figures;
  count_trials(figures, made, cell);
  const auto trials = valid_trials(made, cell);
  figures.valid = trials.size();
  if (trials.empty()) return figures;
  enter_medians(figures, made, trials);
  for (const sweep_trial* each : trials) figures.chosen.insert(each->chosen);
  figures.why = trials.back()->why;
  return figures;
}

std::optional<sweep_cell> fastest_cell(const sweep_result& made, std::size_t corpus, unsigned work) {
  std::optional<sweep_cell> best;
  double least = 0;
  for (const sweep_cell& cell : cells_of(made.plan)) {
    if (cell.corpus != corpus || cell.work != work) continue;
    const cell_figures figures = figures_of(made, cell);
    if (figures.valid == 0 || (best && figures.seconds.value >= least)) continue;
    best = cell;
    least = figures.seconds.value;
  }
  return best;
}

cpu_limit find_cpu_limit(const sweep_result& made, std::size_t corpus) {
  cpu_limit found;
  for (const unsigned work : levels_of(made.plan)) {
    if (const auto fastest = fastest_cell(made, corpus, work))
      found.levels.push_back({work, *fastest, figures_of(made, *fastest).busy});
    else
      found.complete = false;
  }
  for (auto level = found.levels.rbegin(); level != found.levels.rend() && level->busy >= busy_share; ++level)
    found.from = level->work;
  return found;
}

std::vector<auto_ratio> auto_ratios(const sweep_result& made) {
  std::vector<auto_ratio> ratios;
  for (const sweep_cell& cell : cells_of(made.plan))
    if (!cell.how)
      if (const auto ratio = ratio_of(made, cell)) ratios.push_back(*ratio);
  return ratios;
}

const auto_ratio& slowest(const std::vector<auto_ratio>& ratios) {
  return *std::ranges::min_element(ratios, is_slower);
}

std::optional<auto_ratio> median_cell(std::vector<auto_ratio> ratios, unsigned work) {
  std::erase_if(ratios, [=](const auto_ratio& each) { return each.cell.work != work; });
  if (ratios.empty()) return {};
  std::ranges::sort(ratios, is_slower);
  return ratios[(ratios.size() - 1) / 2];
}

nlohmann::json in_json(const sweep_result& made) {
  nlohmann::json trials = nlohmann::json::array();
  for (const sweep_trial& each : made.trials) trials.push_back(in_json(made.plan, each));
  return {{"plan", made.plan},
          {"rounds", made.rounds},
          {"machines", made.machines},
          {"processors", made.processors},
          {"memory", made.plan.ranks == 1 ? "rested" : "as it comes"},
          {"trials", trials},
          {"cells", cells_in_json(made)},
          {"auto_against_best_of_streaming_and_buffering", ratios_in_json(made)},
          {"limits", limits_in_json(made)},
          {"gaps", made.gaps},
          {"seconds", made.seconds},
          {"bytes_written", made.bytes_written}};
}

}  // namespace freshet::tool
