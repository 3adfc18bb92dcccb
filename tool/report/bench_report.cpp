#include "tool/report/bench_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "tool/analysis/comparison_text.hpp"
#include "tool/analysis/option_effects.hpp"
#include "tool/base/json_optional.hpp"
#include "tool/base/json_output.hpp"
#include "tool/base/text.hpp"
#include "tool/report/section.hpp"
#include "tool/report/verdict_report.hpp"
#include "tool/search/counted_trials.hpp"
#include "tool/search/reasons.hpp"

namespace freshet::tool {
namespace {

constexpr std::string_view clocks_heading =
    "MB/s until closed and until on disk; writes of the device; extents of the files:";
constexpr std::string_view waits_heading =
    "Seconds; ms that half, and 99 % of the blocks were waited for at most, and the\n"
    "longest wait; peak memory, and that of the file in the page cache, MiB:";
constexpr std::string_view effects_heading =
    "What each option changes, in plans that differ in nothing else; extents, and\n"
    "MB/s of reading back from the device, of both:";

// The rows of one class, and their ranking.
struct class_rows {
  std::vector<const candidate*> rows;
  std::vector<candidate> candidates;  // those that may win
  class_verdict verdict;
};

// `null` writes no file, so it competes with nothing.
bool may_win(const candidate& row) { return row.plan.method != "null" && !row.trials.empty(); }

using row_figure = figure<candidate>;
using row_figures = figures_of_entry<candidate>;

std::string whole(double count) { return fmt::format("{:.0f}", count); }
std::string mebibytes(double bytes) { return format_figure(bytes / (1 << 20)); }

// Whether it did anything that has figures: a program may have failed.
bool has_figures(const candidate* row) {
  return std::ranges::any_of(row->trials, [](const trial_result& trial) { return trial.bytes > 0; });
}

// The classes that have rows.
std::vector<class_rows> rank_classes(std::span<const candidate> all) {
  std::vector<class_rows> classes;
  for (const io_class measured_class : all_classes) {
    class_rows of_class;
    for (const candidate& row : all) {
      if (row.plan.measured_class != measured_class) continue;
      of_class.rows.push_back(&row);
      // A plan without a valid trial is dropped, so that the verdict does not wait for it.
      if (may_win(row))
        of_class.candidates.push_back(
            {.plan = row.plan, .trials = row.trials, .dropped = count_usable(row) > 0 ? "" : summarize_faults(row)});
    }
    if (of_class.rows.empty()) continue;
    of_class.verdict = rank_candidates(measured_class, of_class.candidates);
    classes.push_back(std::move(of_class));
  }
  return classes;
}

// What marks a row, and its name.
row_figures name_figures(const class_rows& of_class, const screen& look) {
  using enum table::side;
  return {
      {{"", left}, [=](const candidate& row) { return painted(count_usable(row) == 0 ? "!" : "", colour::bad, look); }},
      {{reads(of_class.verdict.measured_class) ? "way to read" : "way to write", left, true},
       [](const candidate& row) { return describe(row.plan); }}};
}

std::string format_rows(const class_rows& of_class, row_figures figures, const screen& look) {
  row_figures all = name_figures(of_class, look);
  std::ranges::move(figures, std::back_inserter(all));
  std::vector<const candidate*> shown;
  std::ranges::copy_if(of_class.rows, std::back_inserter(shown), has_figures);
  return make_table(all, shown).text(look.width);
}

// The figures besides the ranking: both clocks, and the device's activity.
std::string format_activity(const class_rows& of_class, const screen& look) {
  using enum table::side;
  const auto median_of = [](std::string heading, auto of, auto... format) {
    return median_figure<candidate>({std::move(heading)}, of, format...);
  };
  const auto count_of = [](std::string heading, auto of) {
    return median_figure<candidate>({std::move(heading), right, false, true}, of, whole);
  };
  const auto range_of = [](bool may_be_left_out, auto of) {
    return range_figure<candidate>({"range", right, false, may_be_left_out}, of);
  };
  const row_figure extents = count_of("extents", &trial_result::extents);
  if (reads(of_class.verdict.measured_class))
    return format_rows(of_class,
                       {median_of("MB/s", &trial_result::rate_to_close), range_of(false, &trial_result::rate_to_close),
                        count_of("device reads", &trial_result::device_reads), extents},
                       look);
  return format_rows(of_class,
                     {median_of("close", &trial_result::rate_to_close), range_of(true, &trial_result::rate_to_close),
                      median_of("disk", &trial_result::rate_to_disk), range_of(true, &trial_result::rate_to_disk),
                      count_of("writes", &trial_result::device_writes), extents},
                     look);
}

// The milliseconds that the share `p` of all waits took at most.
std::string format_wait(const candidate& row, double p) {
  latency_histogram waits;
  for (const trial_result* trial : samples_to_show(row)) waits.add(trial->block_latency);
  return waits.calls() == 0 ? "-" : format_figure(static_cast<double>(waits.quantile(p)) / 1e6);
}

// What the program waited for, and the memory that it took.
std::string format_waits_and_memory(const class_rows& of_class, const screen& look) {
  const auto wait = [](double p) { return [=](const candidate& row) { return format_wait(row, p); }; };
  return format_rows(of_class,
                     {median_figure<candidate>({"seconds"}, &trial_result::ranking_seconds),
                      {{"half"}, wait(0.5)},
                      {{"99 %"}, wait(0.99)},
                      {{"longest"}, wait(1)},
                      median_figure<candidate>({"memory"}, &trial_result::peak_memory, mebibytes),
                      median_figure<candidate>({"cached"}, &trial_result::page_cache, mebibytes)},
                     look);
}

std::string format_faults(const class_rows& of_class, const screen& look) {
  std::string text;
  for (const candidate* row : of_class.rows) {
    const std::string fault = row->trials.empty() ? "not measured: " + row->dropped : summarize_faults(*row);
    const bool unusable = row->trials.empty() || count_usable(*row) == 0;
    const bool invalid = std::ranges::any_of(
        row->trials, [](const trial_result& trial) { return trial.validity == trial_validity::invalid; });
    if (fault.empty() || (invalid && !unusable))
      continue;  // format_oddities() sums up what is left out of the other plans
    text +=
        wrapped(fmt::format("{} {}: {}", unusable ? painted("!", colour::bad, look) : " ", describe(row->plan), fault));
  }
  return text;
}

// "3 : 1"; empty if neither is known.
std::string format_both(const std::array<std::optional<double>, 2>& figures) {
  if (!figures[0] && !figures[1]) return "";
  const auto format = [](const std::optional<double>& figure) { return figure ? format_figure(*figure) : "-"; };
  return format(figures[0]) + " : " + format(figures[1]);
}

// What each option that varies is worth: over all plans that differ in it alone, and in each pair of them.
std::string format_effects(const class_rows& of_class, const screen& look) {
  using enum table::side;
  const std::vector<option_effect> effects = find_option_effects(of_class.candidates);
  if (effects.empty()) return "";
  table list{{{"option", left},
              {"with", left, true},
              {"is", left},
              {"", left},
              {"extents", right, false, true},
              {"cold MB/s", right, false, true}}};
  for (const option_effect& effect : effects) {
    comparison all;
    all.ratio.value = effect.ratio;
    list.add({fmt::format("{} {} : {}", effect.option, effect.base, effect.value),
              fmt::format("all {}", effect.cells.size()), format_gain(all), "", "", ""});
    for (const option_cell& cell : effect.cells)
      list.add({"", cell.plan, format_gain(cell.against), std::string{describe_result(cell.against)},
                format_both(cell.extents), format_both(cell.cold_read)});
  }
  return fmt::format("\n{}\n{}", effects_heading, list.text(look.width));
}

std::string format_class(const class_rows& of_class, const screen& look) {
  std::string text = fmt::format("== {}\n", describe_class(of_class.verdict.measured_class));
  const class_verdict& verdict = of_class.verdict;
  if (!verdict.ranking.empty()) text += format_verdict(verdict, look, format_plan_name);
  if (std::ranges::any_of(of_class.rows, has_figures))
    text += fmt::format("\n{}\n", reads(of_class.verdict.measured_class) ? "Activity of the device:" : clocks_heading) +
            format_activity(of_class, look) + fmt::format("\n{}\n", waits_heading) +
            format_waits_and_memory(of_class, look);
  return text + format_effects(of_class, look) + format_faults(of_class, look) + format_oddities(of_class.verdict);
}

}  // namespace

std::string format_bench(std::span<const candidate> rows, const screen& look) {
  std::string report;
  for (const class_rows& of_class : rank_classes(rows))
    report += (report.empty() ? "" : "\n") + format_class(of_class, look);
  return report;
}

machine_figures make_machine_figures(const std::optional<machine_rate>& machine, std::span<const candidate> rows) {
  for (const class_rows& of_class : rank_classes(rows)) {
    if (reads(of_class.verdict.measured_class)) continue;
    if (of_class.verdict.ranking.empty()) return {.machine = machine};
    const candidate& pick = of_class.candidates[of_class.verdict.ranking.front().index];
    return make_machine_figures(machine, "the pick", sort_trials(pick.trials).counted);
  }
  return {};
}

nlohmann::json bench_verdicts(std::span<const candidate> rows) {
  return make_json_array(rank_classes(rows), &class_rows::verdict);
}

nlohmann::json bench_effects(std::span<const candidate> rows) {
  nlohmann::json all = nlohmann::json::array();
  for (const class_rows& of_class : rank_classes(rows))
    for (const option_effect& effect : find_option_effects(of_class.candidates)) {
      const auto cell = [](const option_cell& each) {
        nlohmann::json out = each.against;
        out.update({{"plan", each.plan}, {"extents", each.extents}, {"cold_read", each.cold_read}});
        return out;
      };
      all.push_back({{"class", to_string(of_class.verdict.measured_class)},
                     {"option", effect.option},
                     {"base", effect.base},
                     {"value", effect.value},
                     {"ratio", effect.ratio},
                     {"cells", make_json_array(effect.cells, cell)}});
    }
  return all;
}

}  // namespace freshet::tool
