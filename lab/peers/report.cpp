#include "lab/peers/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "tool/analysis/comparison_text.hpp"
#include "tool/base/json_optional.hpp"
#include "tool/base/json_output.hpp"
#include "tool/base/text.hpp"
#include "tool/report/section.hpp"
#include "tool/report/verdict_report.hpp"
#include "tool/search/counted_trials.hpp"
#include "tool/search/reasons.hpp"

namespace freshet::tool {
namespace {

std::string whole(double value) { return fmt::format("{:.0f}", value); }
std::string seconds(double value) { return fmt::format("{:.3f}", value); }
std::string short_size(double bytes) { return fmt::format("{} MiB", format_figure(bytes / (1 << 20))); }

std::vector<double> start_seconds(const peer_row& row) {
  return collect(samples_to_show(row.measured), [&](const trial_result* trial) {
    return row.start_seconds[static_cast<std::size_t>(trial - row.measured.trials.data())];
  });
}

// Freshet's writer, with which the others are compared.
const peer_row* reference(std::span<const peer_row> rows) {
  const auto at = std::ranges::find_if(rows, [](const peer_row& row) {
    return row.kind == peer_kind::freshet && row.name.find("writer") != std::string::npos && row.has_usable_trial();
  });
  return at == rows.end() ? nullptr : &*at;
}

// How many times as fast to close, round by round.
std::string relative(const peer_row& row, const peer_row* to) {
  if (to == nullptr || !row.has_usable_trial()) return "-";
  const comparison against = compare(row.measured, to->measured, {.which = metric::close});
  return format_times(1 / against.ratio.value);
}

// The rows in the order of the ranking, then those that are not ranked.
std::vector<const peer_row*> sort_rows(std::span<const peer_row> rows, const class_verdict& verdict) {
  std::vector<const peer_row*> order;
  for (const ranked_candidate& ranked : verdict.ranking)
    for (const peer_row& row : rows)
      if (row.name == ranked.plan.method) order.push_back(&row);
  for (const peer_row& row : rows)
    if (!row.measured.trials.empty() && std::ranges::find(order, &row) == order.end()) order.push_back(&row);
  return order;
}

// Variants differ at the ends of their names, so a name that is too long is cut at its beginning.
std::string fitting(const std::string& name, const screen& look, std::size_t room = 22) {
  constexpr std::size_t wide = 100;
  if (look.width >= wide || name.size() <= room) return name;
  return "~" + name.substr(name.size() - room + 1);
}

std::string marked(const peer_row& row, const screen& look) {
  const bool sound = row.failure.empty() && row.has_usable_trial();
  return painted(sound ? "" : "!", colour::bad, look);
}

using peer_figure = figure<peer_row>;

// What marks a peer, and its name.
std::vector<peer_figure> name_figures(const screen& look) {
  using enum table::side;
  return {{{"", left}, [=](const peer_row& row) { return marked(row, look); }},
          {{"peer", left}, [=](const peer_row& row) { return fitting(row.name, look); }}};
}

template <typename Figure>
peer_figure median_of(table::column column, Figure of, std::string (*format)(double) = format_figure) {
  return median_figure<peer_row>(std::move(column), of, format);
}

std::vector<peer_figure> speeds(const peer_row* base, const screen& look) {
  using enum table::side;
  std::vector<peer_figure> all = name_figures(look);
  all.insert(all.end(), {{{"what it is", left, true}, &peer_row::title},
                         median_of({"close"}, &trial_result::rate_to_close),
                         range_figure<peer_row>({"range"}, &trial_result::rate_to_close),
                         median_of({"disk"}, &trial_result::rate_to_disk),
                         {{"x ours"}, [=](const peer_row& row) { return relative(row, base); }},
                         {{"start s"}, [](const peer_row& row) { return seconds(median(start_seconds(row))); }}});
  return all;
}

std::vector<peer_figure> costs(const screen& look) {
  using enum table::side;
  std::vector<peer_figure> all = name_figures(look);
  const auto calls = [](const peer_row& row) { return row.system_calls ? format_figure(*row.system_calls) : "-"; };
  all.insert(all.end(), {median_of({"CPU s/GB"}, &trial_result::cpu_per_gb, seconds),
                         median_of({"writes"}, &trial_result::device_writes, whole),
                         {{"calls/MiB"}, calls},
                         median_of({"extents"}, &trial_result::extents, whole),
                         median_of({"memory"}, &trial_result::peak_memory, short_size),
                         median_of({"cold"}, &trial_result::cold_read),
                         median_of({"page cache", right, false, true}, &trial_result::page_cache, short_size)});
  return all;
}

std::string indented(std::string_view lines) {
  std::string text;
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    text += fmt::format("    {}\n", lines.substr(0, end));
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  }
  return text;
}

// Combines peers that failed with the same message.
std::string format_failures(std::span<const peer_row> rows, const screen& look) {
  std::string text;
  std::vector<std::pair<std::pair<std::string, std::string>, std::vector<std::string>>> kinds;
  for (const peer_row& row : rows) {
    if (row.failure.empty()) continue;
    const std::pair failure{row.failure, row.last_words};
    auto at = std::ranges::find(kinds, failure, [](const auto& kind) { return kind.first; });
    if (at == kinds.end()) at = kinds.insert(kinds.end(), {failure, {}});
    at->second.push_back(row.name);
  }
  for (const auto& [failure, names] : kinds)
    text += wrapped(fmt::format("{} {}: {}{}", painted("!", colour::bad, look), fmt::join(names, ", "), failure.first,
                                failure.second.empty() ? "" : "; its last output:")) +
            indented(failure.second);
  return text;
}

std::string format_left_out_peers(std::span<const peer_row> rows) {
  std::map<std::string, std::vector<std::string>> reasons;
  for (const peer_row& row : rows)
    if (!row.left_out.empty()) reasons[row.left_out].push_back(row.name);
  std::string text;
  for (const auto& [reason, names] : reasons) text += wrapped(fmt::format("{}: {}", reason, fmt::join(names, ", ")));
  return text;
}

// Trials of unknown validity, disturbed ones, and cold reads that were not cold.
std::string format_doubts(std::span<const peer_row> rows, const screen& look) {
  std::map<std::string, std::vector<std::string>> reasons;
  const auto add = [&](const std::string& reason, const std::string& name) {
    std::vector<std::string>& names = reasons[reason];
    if (names.empty() || names.back() != name) names.push_back(name);
  };
  for (const peer_row& row : rows) {
    for (const std::string& why_not : row.why_not_cold) add("no cold read: " + why_not, row.name);
    for (const trial_result& trial : row.measured.trials)
      if (trial.validity == trial_validity::unknown || trial.is_disturbed())
        add(fmt::format("{}: {}", to_string(trial.validity), first_reason(trial)), row.name);
  }
  std::string text;
  for (const auto& [reason, names] : reasons)
    text += wrapped(fmt::format(
        "{} {}, of {}", painted("?", colour::doubtful, look), reason,
        names.size() > 3 ? fmt::format("{} peers", names.size()) : fmt::format("{}", fmt::join(names, ", "))));
  return text;
}

}  // namespace

class_verdict rank_peers(std::span<const peer_row> rows, const peer_request& wanted) {
  std::vector<candidate> candidates;
  for (const peer_row& row : rows) {
    if (row.measured.trials.empty() || !row.failure.empty()) continue;
    candidates.push_back(row.measured);
  }
  return rank_candidates(wanted.write_through ? io_class::each_write : io_class::none, candidates);
}

std::string format_peers(const peer_catalogue& all, const peer_request& wanted, const class_verdict& verdict,
                         const screen& look) {
  const std::vector<peer_row>& rows = all.rows;
  std::string text;
  const auto row_name = [&](const ranked_candidate& ranked) { return fitting(ranked.plan.method, look, 19); };
  if (!verdict.ranking.empty())
    text += fmt::format("== {}, {}\n", to_string(wanted.workload), describe_class(verdict.measured_class)) +
            format_verdict(verdict, look, row_name);
  if (const auto order = sort_rows(rows, verdict); !order.empty()) {
    const peer_row* const base = reference(rows);
    text += "\n" +
            wrapped(fmt::format("MB/s until closed and until on disk{}; seconds to start:",
                                base == nullptr ? "" : fmt::format(", times {} until closed", base->name))) +
            make_table(speeds(base, look), order).text(look.width);
    text += "\nWhole CPU cost, device writes, system calls; MB/s of reading it back cold:\n" +
            make_table(costs(look), order).text(look.width);
  }
  for (const std::string& part : {format_published(all, wanted, look), format_failures(rows, look),
                                  format_left_out_peers(rows) + format_doubts(rows, look) + format_oddities(verdict)})
    if (!part.empty()) text += (text.empty() ? "" : "\n") + part;
  return text;
}

std::string format_peer_list(std::span<const peer_row> rows, const screen& look) {
  using enum table::side;
  table list{{{"peer", left}, {"language", left}, {"kind", left}, {"what it is", left, true}}};
  for (const peer_row& row : rows)
    if (row.failure.empty()) list.add({row.name, row.language, std::string{to_string(row.kind)}, row.title});
  const std::string missing = format_failures(rows, look) + format_left_out_peers(rows);
  return list.text(look.width) + (missing.empty() ? "" : "\n" + missing);
}

void to_json(nlohmann::json& out, const peer_row& row) {
  out = {{"name", row.name},
         {"family", row.family},
         {"language", row.language},
         {"title", row.title},
         {"kind", to_string(row.kind)},
         {"left_out", text_or_null(row.left_out)},
         {"failure", text_or_null(row.failure)},
         {"last_words", text_or_null(row.last_words)},
         {"build_seconds", row.build_seconds},
         {"checked", row.checked},
         {"system_calls_per_mib", row.system_calls}};
}

}  // namespace freshet::tool
