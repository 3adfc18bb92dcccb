#include "lab/sweep/findings.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lab/sweep/published.hpp"
#include "tool/search/comparison.hpp"
#include "tool/search/counted_trials.hpp"

namespace freshet::tool {
namespace {

sorted_trials<sweep_trial> sort_trials_of(const sweep_result& result, const sweep_cell& cell) {
  std::vector<const sweep_trial*> of_cell;
  for (const sweep_trial& each : result.trials)
    if (each.cell == cell) of_cell.push_back(&each);
  return sort_trials(of_cell);
}

template <typename Figure>
std::vector<double> values_of(const std::vector<const sweep_trial*>& trials, Figure figure) {
  std::vector<double> values;
  for (const sweep_trial* each : trials) values.push_back(static_cast<double>(figure(*each)));
  return values;
}

double busy_share_of(const sweep_result& result, const sweep_trial& trial) {
  return compute_busy_share(trial.cpu_to_close, trial.figures.seconds_to_close, trial.cell.threads * result.plan.ranks,
                            result.processors);
}

double seconds_of(const sweep_trial& trial) { return trial.figures.seconds_to_close; }

void count_trials(cell_figures& figures, const sweep_result& result, const sweep_cell& cell) {
  for (const sweep_trial& each : result.trials) {
    if (each.cell != cell) continue;
    ++figures.trials;
    if (has_failed(each)) {
      if (figures.failed++ == 0) figures.failure = each.failure;
    } else if (!find_exclusion_reasons(each).empty()) {
      ++figures.invalid;
      figures.reasons.insert(each.figures.reasons.begin(), each.figures.reasons.end());
    } else {
      ++figures.valid;
    }
  }
}

// The system tells it for all trials or for none.
std::optional<std::uint64_t> median_bytes(const std::vector<const sweep_trial*>& trials,
                                          std::optional<std::uint64_t> trial_result::*bytes) {
  if (!(trials.front()->figures.*bytes)) return {};
  return static_cast<std::uint64_t>(
      median(values_of(trials, [&](const sweep_trial& each) { return (each.figures.*bytes).value_or(0); })));
}

void add_medians(cell_figures& figures, const sweep_result& result, const std::vector<const sweep_trial*>& trials) {
  const std::vector<double> seconds = values_of(trials, seconds_of);
  figures.seconds = estimate_median(seconds);
  figures.spread = median_deviation(seconds) / figures.seconds.value;
  figures.seconds_to_disk =
      median(values_of(trials, [](const sweep_trial& each) { return each.figures.seconds_to_disk; }));
  figures.megabytes = median(values_of(trials, [](const sweep_trial& each) { return each.figures.rate_to_close(); }));
  figures.cpu = median(values_of(trials, [](const sweep_trial& each) { return each.figures.cpu_whole; }));
  figures.busy = median(values_of(trials, [&](const sweep_trial& each) { return busy_share_of(result, each); }));
  std::vector<const trial_result*> counted;
  for (const sweep_trial* each : trials) counted.push_back(&each->figures);
  figures.waited = compute_median_wait(counted);
  figures.peak_memory = median_bytes(trials, &trial_result::peak_memory);
  figures.page_cache = median_bytes(trials, &trial_result::page_cache);
}

std::vector<unsigned> sort_work_levels(const sweep_plan& plan) {
  std::vector<unsigned> levels = plan.work;
  std::ranges::sort(levels);
  return levels;
}

// A cell's trials that may count: compare() leaves those out that do not.
candidate make_candidate(const sweep_result& result, const sweep_cell& cell) {
  candidate entry;
  for (const sweep_trial& each : result.trials)
    if (each.cell == cell && find_exclusion_reasons(each).empty()) entry.trials.push_back(each.figures);
  return entry;
}

sweep_cell replace_strategy(sweep_cell cell, wanted_strategy how) {
  cell.how = how;
  return cell;
}

std::optional<auto_ratio> compute_ratio(const sweep_result& result, const sweep_cell& cell, double noise) {
  const cell_figures streaming = compute_figures(result, replace_strategy(cell, strategy::streaming));
  const cell_figures buffering = compute_figures(result, replace_strategy(cell, strategy::buffering));
  if (streaming.valid == 0 || buffering.valid == 0) return {};
  const strategy best = streaming.seconds.value <= buffering.seconds.value ? strategy::streaming : strategy::buffering;
  const candidate chosen = make_candidate(result, cell);
  const candidate other = make_candidate(result, replace_strategy(cell, best));
  if (count_usable(chosen) == 0 || count_usable(other) == 0) return {};
  return auto_ratio{cell, best, compare(other, chosen, {.noise = noise, .which = metric::close}).ratio};
}

bool is_slower(const auto_ratio& one, const auto_ratio& other) { return one.ratio.value < other.ratio.value; }

std::optional<double> find_published(const sweep_plan& plan, const sweep_cell& cell) {
  const corpus_shape& corpus = plan.corpora[cell.corpus];
  if (corpus.is_given() || corpus.vary) return {};
  return published_speed({.bytes_per_file = corpus.lines * (corpus.chars + 1),
                          .strategy = name_of(cell.how),
                          .threads = cell.threads,
                          .work = cell.work});
}

nlohmann::json format_cells(const sweep_result& result) {
  nlohmann::json cells = nlohmann::json::array();
  for (const sweep_cell& cell : list_cells(result.plan)) {
    const cell_figures figures = compute_figures(result, cell);
    nlohmann::json out = make_json(result.plan, cell);
    out["valid"] = figures.valid;
    out["invalid"] = figures.invalid;
    out["failed"] = figures.failed;
    out["counted"] = figures.counted;
    out["left_out"] = figures.left_out;
    out["published_mb_per_second"] = figures.published;
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
      out["peak_memory"] = figures.peak_memory;
      out["page_cache"] = figures.page_cache;
      out["chosen"] = figures.chosen;
      out["why"] = figures.why;
    }
    cells.push_back(std::move(out));
  }
  return cells;
}

nlohmann::json format_ratios(const sweep_result& result) {
  nlohmann::json ratios = nlohmann::json::array();
  for (const auto_ratio& each : auto_ratios(result)) {
    nlohmann::json out = make_json(result.plan, each.cell);
    out["against"] = to_string(each.against);
    out["ratio"] = each.ratio.value;
    out["low"] = each.ratio.range.low;
    out["high"] = each.ratio.range.high;
    ratios.push_back(std::move(out));
  }
  return ratios;
}

nlohmann::json format_limits(const sweep_result& result) {
  nlohmann::json limits = nlohmann::json::array();
  for (std::size_t corpus = 0; corpus < result.plan.corpora.size(); ++corpus) {
    const cpu_limit limit = find_cpu_limit(result, corpus);
    nlohmann::json levels = nlohmann::json::array();
    for (const fastest_at_work& each : limit.levels)
      levels.push_back({{"corpus", result.plan.corpora[corpus].name},
                        {"strategy", each.strategy},
                        {"threads", each.threads},
                        {"work", each.work},
                        {"busy", *each.busy}});
    limits.push_back({{"corpus", result.plan.corpora[corpus].name},
                      {"cpu_bound_from_work", limit.from},
                      {"complete", limit.complete},
                      {"fastest", levels}});
  }
  return limits;
}

}  // namespace

cell_figures compute_figures(const sweep_result& result, const sweep_cell& cell) {
  cell_figures figures;
  figures.published = find_published(result.plan, cell);
  count_trials(figures, result, cell);
  const sorted_trials<sweep_trial> sorted = sort_trials_of(result, cell);
  const std::vector<const sweep_trial*>& trials = sorted.counted;
  figures.counted = trials.size();
  figures.left_out = count_reasons(sorted);
  if (trials.empty()) return figures;
  add_medians(figures, result, trials);
  for (const sweep_trial* each : trials) figures.chosen.insert(each->chosen);
  figures.why = trials.back()->why;
  return figures;
}

std::optional<sweep_cell> fastest_cell(const sweep_result& result, std::size_t corpus, unsigned work) {
  std::optional<sweep_cell> best;
  double least = 0;
  for (const sweep_cell& cell : list_cells(result.plan)) {
    if (cell.corpus != corpus || cell.work != work) continue;
    const cell_figures figures = compute_figures(result, cell);
    if (figures.valid == 0 || (best && figures.seconds.value >= least)) continue;
    best = cell;
    least = figures.seconds.value;
  }
  return best;
}

cpu_limit find_cpu_limit(const sweep_result& result, std::size_t corpus) {
  cpu_limit limit;
  for (const unsigned work : sort_work_levels(result.plan)) {
    const auto fastest = fastest_cell(result, corpus, work);
    if (!fastest) {
      limit.complete = false;
      continue;
    }
    const cell_figures figures = compute_figures(result, *fastest);
    limit.levels.push_back({.work = work,
                            .strategy = name_of(fastest->how),
                            .threads = fastest->threads,
                            .ranks = result.plan.ranks,
                            .seconds = figures.seconds.value,
                            .busy = figures.busy,
                            .waited = figures.waited});
  }
  limit.from = find_crossover(limit.levels);
  return limit;
}

std::vector<auto_ratio> auto_ratios(const sweep_result& result) {
  std::vector<candidate> all;
  for (const sweep_cell& cell : list_cells(result.plan)) all.push_back(make_candidate(result, cell));
  const double noise = estimate_noise(all, metric::close);
  std::vector<auto_ratio> ratios;
  for (const sweep_cell& cell : list_cells(result.plan))
    if (!cell.how)
      if (const auto ratio = compute_ratio(result, cell, noise)) ratios.push_back(*ratio);
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

nlohmann::json make_json(const sweep_result& result) {
  nlohmann::json trials = nlohmann::json::array();
  for (const sweep_trial& each : result.trials) trials.push_back(make_json(result.plan, each));
  return {{"plan", result.plan},
          {"rounds", result.rounds},
          {"machines", result.machines},
          {"processors", result.processors},
          {"memory", result.plan.ranks == 1 ? "rested" : "as it comes"},
          {"trials", trials},
          {"cells", format_cells(result)},
          {"auto_against_best_of_streaming_and_buffering", format_ratios(result)},
          {"limits", format_limits(result)},
          {"gaps", result.caveats},
          {"seconds", result.seconds},
          {"bytes_written", result.bytes_written}};
}

}  // namespace freshet::tool
