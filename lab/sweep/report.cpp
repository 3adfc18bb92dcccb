#include "lab/sweep/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "lab/encrypt/manifest.hpp"
#include "lab/sweep/findings.hpp"
#include "lab/sweep/lines_report.hpp"
#include "lab/sweep/sweep_cells.hpp"
#include "tool/base/text.hpp"
#include "tool/report/screen.hpp"
#include "tool/report/table.hpp"
#include "tool/report/verdict_report.hpp"

namespace freshet::tool {
namespace {

std::string heading(const sweep_result& result, std::size_t number) {
  const corpus_shape& full = result.plan.corpora[number];
  const std::string_view cache = result.plan.cold ? "cold" : "warm";
  const text_volume volume = volume_of(result.plan, number);
  const std::string megabytes = format_figure(static_cast<double>(volume.bytes) / 1e6);
  if (full.is_given())
    return fmt::format("{}: {}, {}, {} MB, {}\n", full.name, format_count(volume.files, "file"),
                       format_count(volume.lines, "line"), megabytes, cache);
  const corpus_plan files = scale_corpus(result.plan, number);
  const std::string of_all = files.files == full.files ? "" : fmt::format(" of {}", fmt::group_digits(full.files));
  const std::string_view about = full.vary ? "about " : "";
  return fmt::format("{}: {}{} files x {}{} lines x {}{} characters, {}{} MB, {}\n", full.name,
                     fmt::group_digits(files.files), of_all, about, fmt::group_digits(files.lines), about,
                     fmt::group_digits(files.chars), about, megabytes, cache);
}

/// What a table shows of a cell that has a valid trial.
using cell_text = std::string (*)(const cell_figures& figures);

std::string format_seconds(const cell_figures& figures) {
  return format_with_spread(figures.seconds.value, figures.spread, figures.counted);
}

std::string format_cpu_cost(const cell_figures& figures) {
  return fmt::format("{} s {}", format_figure(figures.cpu),
                     figures.peak_memory ? format_size(*figures.peak_memory) : "-");
}

std::string format_cell_speed(const cell_figures& figures) {
  return format_speed(figures.megabytes, figures.published);
}

std::string format_page_cache(const cell_figures& figures) {
  return figures.page_cache ? format_size(*figures.page_cache) : "-";
}

std::string format_cell(const cell_figures& figures, cell_text show) {
  if (figures.valid != 0) return show(figures);
  return figures.failed != 0 ? "failed" : figures.invalid != 0 ? "invalid" : "-";
}

// A row for each strategy with each number of threads and each buffer, a column for each work level.
std::string grid_table(const sweep_result& result, std::size_t corpus, cell_text show, bool marks_best) {
  std::vector<table::column> columns{{"THREADS"}, {"STRATEGY", table::side::left}};
  std::vector<std::optional<sweep_cell>> best;
  for (const unsigned work : result.plan.work) {
    columns.push_back({fmt::format("WORK {}", work)});
    best.push_back(marks_best ? fastest_cell(result, corpus, work) : std::nullopt);
  }
  table grid{columns};
  for (const sweep_cell& row : list_cells(result.plan)) {
    if (row.corpus != corpus || row.work != result.plan.work.front()) continue;
    std::vector<std::string> cells{std::to_string(row.threads), describe_way(row)};
    for (std::size_t i = 0; i < best.size(); ++i) {
      sweep_cell cell = row;
      cell.work = result.plan.work[i];
      cells.push_back((best[i] == cell ? "*" : "") + format_cell(compute_figures(result, cell), show));
    }
    grid.add(std::move(cells));
  }
  return grid.folded(2);
}

// Empty if nothing was published for the corpus.
std::string speed_table(const sweep_result& result, std::size_t corpus) {
  const auto cells = list_cells(result.plan);
  const auto has_published = [&](const sweep_cell& cell) {
    return cell.corpus == corpus && compute_figures(result, cell).published.has_value();
  };
  if (std::ranges::none_of(cells, has_published)) return {};
  return speed_heading(true, text_width()) + grid_table(result, corpus, format_cell_speed, false);
}

std::string format_ratio(const estimate& ratio) {
  const std::string range = ratio.range.low > 0 ? fmt::format(" ({})", format_range(ratio.range)) : "";
  return fmt::format("x{:.2f}{}", ratio.value, range);
}

// A row for each number of threads, a column for each work level; empty if no cell can be compared.
std::string ratio_table(const sweep_result& result, const std::vector<auto_ratio>& ratios, std::size_t corpus) {
  if (std::ranges::none_of(ratios, [=](const auto_ratio& each) { return each.cell.corpus == corpus; })) return {};
  std::vector<table::column> columns{{"THREADS"}};
  for (const unsigned work : result.plan.work) columns.push_back({fmt::format("WORK {}", work)});
  table grid{columns};
  for (const unsigned threads : result.plan.threads) {
    std::vector<std::string> cells{std::to_string(threads)};
    for (const unsigned work : result.plan.work) {
      const sweep_cell cell{corpus, std::nullopt, threads, work, result.plan.buffers.front()};
      const auto measured = std::ranges::find(ratios, cell, &auto_ratio::cell);
      cells.push_back(measured == ratios.end() ? "-" : format_ratio(measured->ratio));
    }
    grid.add(std::move(cells));
  }
  return "How many times as fast auto is as the faster of streaming and buffering (range)\n" + grid.folded(1);
}

// "1 thread at work 0, 100; 2 threads at work 0"
std::string describe_cells(const sweep_plan& plan, const std::vector<sweep_cell>& cells) {
  std::vector<std::string> parts;
  for (const unsigned threads : plan.threads) {
    std::vector<unsigned> levels;
    for (const sweep_cell& cell : cells)
      if (cell.threads == threads) levels.push_back(cell.work);
    if (!levels.empty())
      parts.push_back(fmt::format("{} at work {}", format_count(threads, "thread"), fmt::join(levels, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

// Cells of the same choice together, with the reason of the first.
std::string describe_choices(const sweep_result& result, std::size_t corpus) {
  struct choice {
    std::vector<sweep_cell> cells;
    std::string why;
  };
  std::map<std::string, choice> choices;
  for (const sweep_cell& cell : list_cells(result.plan)) {
    const cell_figures figures = compute_figures(result, cell);
    const bool is_shown = cell.corpus == corpus && !cell.how && cell.buffer == result.plan.buffers.front();
    if (!is_shown || figures.valid == 0) continue;
    const std::string chosen = fmt::format("{}", fmt::join(figures.chosen, " or "));
    choices.try_emplace(chosen, choice{{}, figures.why}).first->second.cells.push_back(cell);
  }
  std::string text;
  for (const auto& [chosen, same] : choices)
    text +=
        wrapped(fmt::format("auto chose {} with {}: {}", chosen, describe_cells(result.plan, same.cells), same.why));
  return text;
}

std::string describe_faults(const sweep_result& result, std::size_t corpus) {
  std::string text;
  for (const sweep_cell& cell : list_cells(result.plan)) {
    if (cell.corpus != corpus) continue;
    const cell_figures figures = compute_figures(result, cell);
    const auto add = [&](std::size_t trials, std::string_view outcome, const std::string& why) {
      text += wrapped(fmt::format("{}: {} of {} trials {}: {}", describe(cell), trials, figures.trials, outcome, why));
    };
    if (figures.failed != 0) add(figures.failed, "failed", figures.failure);
    if (figures.invalid != 0) add(figures.invalid, "invalid", *figures.reasons.begin());
  }
  return text;
}

std::string corpus_report(const sweep_result& result, const std::vector<auto_ratio>& ratios, std::size_t corpus) {
  return heading(result, corpus) + "Seconds until all files were closed; * marks the best of each column\n" +
         grid_table(result, corpus, format_seconds, true) + speed_table(result, corpus) +
         "CPU seconds, the kernel's included, until the disk has all; and peak memory\n" +
         grid_table(result, corpus, format_cpu_cost, false) + "Inputs and outputs in the page cache afterwards\n" +
         grid_table(result, corpus, format_page_cache, false) + wrapped(describe_limit(result, corpus)) +
         ratio_table(result, ratios, corpus) + describe_choices(result, corpus) + describe_faults(result, corpus);
}

std::string describe_place(const sweep_result& result, const sweep_cell& cell) {
  return fmt::format("{}, {}, work {}", result.plan.corpora[cell.corpus].name, format_count(cell.threads, "thread"),
                     cell.work);
}

std::string summarize(const sweep_result& result, const std::vector<auto_ratio>& ratios) {
  if (ratios.empty()) return {};
  const auto_ratio& least = slowest(ratios);
  std::string text = fmt::format("auto against the faster of streaming and buffering: {} in its slowest cell ({})",
                                 format_ratio(least.ratio), describe_place(result, least.cell));
  if (const auto middle = median_cell(ratios, 0))
    text += fmt::format("; {} in the median cell at work 0", format_ratio(middle->ratio));
  return '\n' + wrapped(text + '.');
}

// What holds for all corpora.
std::string describe_circumstances(const sweep_result& result) {
  std::string text = format_count(result.rounds, "round") + ", " + format_count(result.processors, "processor");
  if (result.plan.ranks > 1)
    text += fmt::format(", {} ranks on {} (threads are those of each rank)", result.plan.ranks,
                        format_count(result.machines, "machine"));
  text += fmt::format(", {}, scale {}, {}, {}", to_string(result.plan.cipher), result.plan.scale,
                      format_duration(result.seconds), result.plan.cold ? "cold" : "warm");
  text = wrapped(text);
  text += wrapped(
      "Everything that threads wait for counts as the disk: the device, but also memory for the files, which a virtual "
      "machine may have to get from its host first.");
  if (const auto late = std::ranges::count_if(result.trials, &sweep_trial::files_removed_shortly_before); late != 0)
    text += wrapped(
        fmt::format("Files had been deleted shortly before {} of {} trials; some file systems then create new files "
                    "more slowly.",
                    late, result.trials.size()));
  for (const std::string& each : result.caveats) text += wrapped("Perhaps not cold: " + each);
  return text;
}

}  // namespace

std::string describe_limit(const sweep_result& result, std::size_t corpus) {
  const cpu_limit limit = find_cpu_limit(result, corpus);
  if (!limit.complete)
    return "It is unclear where the disk stops being the limit: there is a work level without a valid trial.";
  return describe_crossover(limit.levels, result.processors);
}

std::string format_sweep(const sweep_result& result) {
  const std::vector<auto_ratio> ratios = auto_ratios(result);
  std::string text;
  for (std::size_t corpus = 0; corpus < result.plan.corpora.size(); ++corpus)
    text += corpus_report(result, ratios, corpus) + '\n';
  return text + describe_circumstances(result) + summarize(result, ratios);
}

}  // namespace freshet::tool
