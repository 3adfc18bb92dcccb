#include "tool/report/sweep_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "tool/base/size.hpp"
#include "tool/encrypt/manifest.hpp"
#include "tool/report/screen.hpp"
#include "tool/report/table.hpp"
#include "tool/sweep/findings.hpp"

namespace freshet::tool {
namespace {

constexpr std::size_t terminal = 80;   // columns
constexpr std::size_t column_gap = 2;  // between two of a table

/// A column and its cells.
struct filled_column {
  table::column title;
  std::vector<std::string> cells;

  [[nodiscard]] std::size_t width() const {
    std::size_t widest = title.heading.size();
    for (const std::string& cell : cells) widest = std::max(widest, cell.size());
    return widest;
  }
};

std::string table_of(const std::vector<filled_column>& columns) {
  std::vector<table::column> titles;
  for (const filled_column& each : columns) titles.push_back(each.title);
  table list{titles};
  for (std::size_t row = 0; row < columns.front().cells.size(); ++row) {
    std::vector<std::string> cells;
    for (const filled_column& each : columns) cells.push_back(each.cells[row]);
    list.add(std::move(cells));
  }
  return list.text();
}

// As many tables, each beginning with the columns of `lead`, as it takes for `columns` to fit a terminal.
std::string fitting_tables(const std::vector<filled_column>& lead, const std::vector<filled_column>& columns) {
  std::string text;
  std::size_t lead_width = 0;
  for (const filled_column& each : lead) lead_width += each.width() + column_gap;
  std::vector<filled_column> part = lead;
  std::size_t width = lead_width;
  for (const filled_column& each : columns) {
    if (part.size() > lead.size() && width + each.width() > terminal) {
      text += table_of(part);
      part = lead;
      width = lead_width;
    }
    part.push_back(each);
    width += each.width() + column_gap;
  }
  return text + table_of(part);
}

std::string heading(const sweep_result& made, std::size_t number) {
  const corpus_shape& full = made.plan.corpora[number];
  const corpus_plan files = scale_corpus(made.plan, number);
  const std::string of_all = files.files == full.files ? "" : fmt::format(" of {}", fmt::group_digits(full.files));
  return fmt::format("{}: {}{} files x {} lines x {} characters, {} MB, {}\n", full.name,
                     fmt::group_digits(files.files), of_all, fmt::group_digits(files.lines),
                     fmt::group_digits(files.chars), format_figure(static_cast<double>(corpus_bytes(files)) / 1e6),
                     made.plan.cold ? "cold" : "warm");
}

/// What a table shows of a cell that has a valid trial.
using cell_text = std::string (*)(const cell_figures& figures);

std::string seconds_in_words(const cell_figures& figures) {
  return fmt::format("{} ±{:.0f} %", format_figure(figures.seconds.value), 100 * figures.spread);
}

std::string bill_in_words(const cell_figures& figures) {
  return fmt::format("{} s {}", format_figure(figures.cpu),
                     figures.peak_memory ? format_size(*figures.peak_memory) : "-");
}

std::string text_of(const cell_figures& figures, cell_text show) {
  if (figures.valid != 0) return show(figures);
  return figures.failed != 0 ? "failed" : figures.invalid != 0 ? "invalid" : "-";
}

// A row for each strategy with each number of threads, a column for each work level.
std::string grid_table(const sweep_result& made, std::size_t corpus, cell_text show, bool marks_best) {
  filled_column threads{{"THREADS"}, {}};
  filled_column strategies{{"STRATEGY", table::side::left}, {}};
  for (const unsigned count : made.plan.threads)
    for (const contender& how : made.plan.contenders) {
      threads.cells.push_back(std::to_string(count));
      strategies.cells.push_back(name_of(how));
    }
  std::vector<filled_column> columns;
  for (const unsigned work : made.plan.work) {
    filled_column& column = columns.emplace_back(filled_column{{fmt::format("WORK {}", work)}, {}});
    const auto best = marks_best ? fastest_cell(made, corpus, work) : std::nullopt;
    for (const unsigned count : made.plan.threads)
      for (const contender& how : made.plan.contenders) {
        const sweep_cell cell{corpus, how, count, work};
        column.cells.push_back((best == cell ? "*" : "") + text_of(figures_of(made, cell), show));
      }
  }
  return fitting_tables({threads, strategies}, columns);
}

// "auto with 2 threads keeps 97 % of 2 processors busy at work 100"
std::string load_in_words(const sweep_result& made, const work_load& load) {
  const unsigned threads = load.fastest.threads * made.plan.ranks;
  const unsigned at_once = std::min(threads, made.processors);
  const std::string whose = threads > made.processors ? fmt::format("{} processor{}", at_once, at_once == 1 ? "" : "s")
                            : at_once == 1            ? std::string{"its thread"}
                                                      : fmt::format("its {} threads", at_once);
  return fmt::format("{} with {} keeps {} busy for {:.0f} % of the time at work {}", name_of(load.fastest.how),
                     in_words(threads), whose, 100 * load.busy, load.work);
}

// Of levels that go on being busy once they are; what there is to wait for but processors is the disk.
std::string limit_of_levels(const sweep_result& made, const cpu_limit& found) {
  const work_load& lowest = found.levels.front();
  const work_load& highest = found.levels.back();
  if (!found.from)
    return fmt::format("The disk is the limit at {}work {}: the fastest, {}.",
                       found.levels.size() == 1 ? "" : "every level up to ", highest.work,
                       load_in_words(made, highest));
  if (*found.from == lowest.work)
    return fmt::format("The CPU is the limit at {}work {}: the fastest, {}.",
                       found.levels.size() == 1 ? "" : "every level from ", lowest.work, load_in_words(made, lowest));
  const auto first = std::ranges::find(found.levels, *found.from, &work_load::work);
  return fmt::format("The disk is the limit up to work {}, the CPU from work {} on: the fastest there, {}, and {}.",
                     std::prev(first)->work, first->work, load_in_words(made, *std::prev(first)),
                     load_in_words(made, *first));
}

// Whether a level is busy and a higher one is not.
bool goes_to_and_fro(const cpu_limit& found) {
  return std::ranges::any_of(found.levels, [&](const work_load& level) {
    return level.busy >= busy_share && (!found.from || level.work < *found.from);
  });
}

std::string ratio_in_words(const estimate& ratio) {
  return fmt::format("x{:.2f} ({:.2f}-{:.2f})", ratio.value, ratio.range.low, ratio.range.high);
}

// A row for each number of threads, a column for each work level; nothing where no cell can be compared.
std::string ratio_table(const sweep_result& made, const std::vector<auto_ratio>& ratios, std::size_t corpus) {
  const auto of_this = [=](const auto_ratio& each) { return each.cell.corpus == corpus; };
  if (std::ranges::none_of(ratios, of_this)) return {};
  filled_column threads{{"THREADS"}, {}};
  for (const unsigned count : made.plan.threads) threads.cells.push_back(std::to_string(count));
  std::vector<filled_column> columns;
  for (const unsigned work : made.plan.work) {
    filled_column& column = columns.emplace_back(filled_column{{fmt::format("WORK {}", work)}, {}});
    for (const unsigned count : made.plan.threads) {
      const auto found = std::ranges::find(ratios, sweep_cell{corpus, std::nullopt, count, work}, &auto_ratio::cell);
      column.cells.push_back(found == ratios.end() ? "-" : ratio_in_words(found->ratio));
    }
  }
  return "How many times as fast auto is as the faster of streaming and buffering (95 %)\n" +
         fitting_tables({threads}, columns);
}

std::string joined(const std::set<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : " or ") + word;
  return all;
}

// "1 thread at work 0, 100; 2 threads at work 0"
std::string cells_in_words(const sweep_plan& plan, const std::vector<sweep_cell>& cells) {
  std::string text;
  for (const unsigned threads : plan.threads) {
    std::string levels;
    for (const sweep_cell& cell : cells)
      if (cell.threads == threads) levels += fmt::format("{}{}", levels.empty() ? "" : ", ", cell.work);
    if (!levels.empty()) text += fmt::format("{}{} at work {}", text.empty() ? "" : "; ", in_words(threads), levels);
  }
  return text;
}

// Cells of the same choice together, with the reason of the first.
std::string choices_in_words(const sweep_result& made, std::size_t corpus) {
  struct choice {
    std::vector<sweep_cell> cells;
    std::string why;
  };
  std::map<std::string, choice> choices;
  for (const sweep_cell& cell : list_cells(made.plan)) {
    const cell_figures figures = figures_of(made, cell);
    if (cell.corpus != corpus || cell.how || figures.valid == 0) continue;
    choices.try_emplace(joined(figures.chosen), choice{{}, figures.why}).first->second.cells.push_back(cell);
  }
  std::string text;
  for (const auto& [chosen, same] : choices)
    text += wrapped(fmt::format("auto chose {} with {}: {}", chosen, cells_in_words(made.plan, same.cells), same.why));
  return text;
}

std::string faults_in_words(const sweep_result& made, std::size_t corpus) {
  std::string text;
  for (const sweep_cell& cell : list_cells(made.plan)) {
    if (cell.corpus != corpus) continue;
    const cell_figures figures = figures_of(made, cell);
    if (figures.failed != 0)
      text += wrapped(fmt::format("{}: {} of {} trials failed: {}", describe(cell), figures.failed, figures.trials,
                                  figures.failure));
    if (figures.invalid != 0)
      text += wrapped(fmt::format("{}: {} of {} trials invalid: {}", describe(cell), figures.invalid, figures.trials,
                                  *figures.reasons.begin()));
  }
  return text;
}

std::string corpus_report(const sweep_result& made, const std::vector<auto_ratio>& ratios, std::size_t corpus) {
  return heading(made, corpus) + "Seconds until all files were closed; * marks the best of each column\n" +
         grid_table(made, corpus, seconds_in_words, true) +
         "CPU seconds, the kernel's included, until the disk has all; and peak memory\n" +
         grid_table(made, corpus, bill_in_words, false) + wrapped(limit_sentence(made, corpus)) +
         ratio_table(made, ratios, corpus) + choices_in_words(made, corpus) + faults_in_words(made, corpus);
}

std::string place_of(const sweep_result& made, const sweep_cell& cell) {
  return fmt::format("{}, {}, work {}", made.plan.corpora[cell.corpus].name, in_words(cell.threads), cell.work);
}

std::string summary(const sweep_result& made, const std::vector<auto_ratio>& ratios) {
  if (ratios.empty()) return {};
  const auto_ratio& least = slowest(ratios);
  std::string text = fmt::format("auto against the faster of streaming and buffering: {} in its slowest cell ({})",
                                 ratio_in_words(least.ratio), place_of(made, least.cell));
  if (const auto middle = median_cell(ratios, 0))
    text += fmt::format("; {} in the median cell at work 0", ratio_in_words(middle->ratio));
  return '\n' + wrapped(text + '.');
}

// What holds for all corpora.
std::string circumstances(const sweep_result& made) {
  std::string text = fmt::format("{} round{}, {} processor{}", made.rounds, made.rounds == 1 ? "" : "s",
                                 made.processors, made.processors == 1 ? "" : "s");
  if (made.plan.ranks > 1)
    text += fmt::format(", {} ranks on {} machine{} (threads are those of each rank)", made.plan.ranks, made.machines,
                        made.machines == 1 ? "" : "s");
  text += fmt::format(", {}, scale {}, {}, {}", name_of(made.plan.cipher), made.plan.scale,
                      format_duration(made.seconds), made.plan.cold ? "cold" : "warm");
  text = wrapped(text);
  text += wrapped(
      "Whatever threads wait for counts as the disk: the device, and the memory of files, which a virtual machine may "
      "have to be given first.");
  if (const auto late = std::ranges::count_if(made.trials, &sweep_trial::files_removed_shortly_before); late != 0)
    text +=
        wrapped(fmt::format("Files had been deleted shortly before {} of {} trials, after which some file systems make "
                            "new ones more slowly.",
                            late, made.trials.size()));
  for (const std::string& each : made.gaps) text += wrapped("Perhaps not cold: " + each);
  return text;
}

}  // namespace

std::string limit_sentence(const sweep_result& made, std::size_t corpus) {
  const cpu_limit found = find_cpu_limit(made, corpus);
  const std::string_view unknown = "Where the disk stops to be the limit cannot be said: ";
  if (!found.complete) return fmt::format("{}there is a work level without a valid trial.", unknown);
  if (!goes_to_and_fro(found)) return limit_of_levels(made, found);
  std::string loads;
  for (const work_load& level : found.levels)
    loads += fmt::format("{}{}", loads.empty() ? "" : "; ", load_in_words(made, level));
  return fmt::format("{}{}.", unknown, loads);
}

std::string sweep_report(const sweep_result& made) {
  const std::vector<auto_ratio> ratios = auto_ratios(made);
  std::string text;
  for (std::size_t corpus = 0; corpus < made.plan.corpora.size(); ++corpus)
    text += corpus_report(made, ratios, corpus) + '\n';
  return text + circumstances(made) + summary(made, ratios);
}

}  // namespace freshet::tool
