// Published figures of similar programs, beside those of today.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "lab/peers/report.hpp"
#include "tool/base/text.hpp"
#include "tool/report/table.hpp"

namespace freshet::tool {
namespace {

constexpr double their_mb = 1 << 20;  // bytes of a megabyte in the publications

// What today's files are of.
struct circumstances {
  std::uint64_t size = 0;
  std::uint64_t buffer = 0;  // bytes; 0: each peer's own
  std::set<std::string> options;

  explicit circumstances(const peer_request& wanted) : size{wanted.size}, buffer{wanted.buffer} {
    for (std::string& option : options_of(wanted))
      if (option != "buffer") options.insert(std::move(option));
  }
  [[nodiscard]] bool fit(const published_row& row) const { return row.size == size && row.options == options; }
};

// The rows of a table in their order, each once: with the figures of these circumstances, or none ("-").
std::vector<published_row> find_table(const peer_catalogue& all, std::string_view name, const circumstances& today) {
  std::vector<published_row> rows;
  for (const peer& each : all.peers)
    std::ranges::copy_if(each.published, std::back_inserter(rows),
                         [&](const published_row& row) { return row.table == name; });
  const auto place = [&](const published_row& row) { return std::pair{row.row, !today.fit(row)}; };
  std::ranges::stable_sort(rows, {}, place);
  const auto is_same = [](const published_row& one, const published_row& other) { return one.row == other.row; };
  rows.erase(std::unique(rows.begin(), rows.end(), is_same), rows.end());
  for (published_row& row : rows)
    if (!today.fit(row)) std::ranges::fill(row.then, "-");
  return rows;
}

// The row of that name, or of the first of its variants, that has a usable trial with the published buffer; null if
// there is none.
const peer_row* find_measured(const peer_catalogue& all, const published_row& published, const circumstances& today) {
  const auto at = std::ranges::find_if(all.rows, [&](const peer_row& row) {
    const std::uint64_t buffer = today.buffer != 0 ? today.buffer : row.buffer;
    return (row.name == published.peer || row.name.starts_with(published.peer + '/')) && row.has_usable_trial() &&
           (published.buffer == 0 || published.buffer == buffer);
  });
  return at == all.rows.end() ? nullptr : &*at;
}

double rate_today(const peer_row& row) {
  return median(collect(samples_to_show(row.measured), &trial_result::rate_to_close)) * 1e6 / their_mb;
}

// Percent of one processor, as in the publications.
double cpu_today(const peer_row& row) {
  return 100 * median(collect(samples_to_show(row.measured),
                              [](const trial_result* trial) { return trial->cpu_whole / trial->seconds_to_disk; }));
}

// Write calls per MB, as in the publications.
double write_calls_today(const peer_row& row) {
  return median(collect(samples_to_show(row.measured), [](const trial_result* trial) {
    return static_cast<double>(trial->write_calls) / (static_cast<double>(trial->bytes) / their_mb);
  }));
}

// The MB/s of "255 @ 100 %"; 0 if it is "-", not published.
double rate_then(const std::string& figure) { return std::strtod(figure.c_str(), nullptr); }

std::string times(double value) { return fmt::format("x {}", format_figure(value)); }

// How the rows of a published table are shown.
struct shown_table {
  std::string_view name;
  std::vector<table::column> columns;  // of the name and the published figures
  table::side today = table::side::right;
  bool with_cpu = false;
};

// The published figures, those of the peer of today, and how many times the last published one that is. Empty if no
// figure of today has a published one beside it.
std::string compare_with_today(const peer_catalogue& all, const shown_table& shown, const circumstances& today,
                               const screen& look) {
  using enum table::side;
  std::vector<table::column> columns = shown.columns;
  columns.insert(columns.end(), {{"today's peer", left, true}, {"today", shown.today}, {"", left}});
  table list{columns};
  bool any = false;
  std::vector<std::string> without_today;
  for (const published_row& old : find_table(all, shown.name, today)) {
    std::vector<std::string> cells{old.name};
    cells.insert(cells.end(), old.then.begin(), old.then.end());
    const double then = rate_then(cells.back());
    if (const peer_row* const now = find_measured(all, old, today)) {
      const double rate = rate_today(*now);
      const std::string cpu = shown.with_cpu ? fmt::format(" @ {} %", std::lround(cpu_today(*now))) : "";
      cells.insert(cells.end(), {now->name, format_figure(rate) + cpu, then == 0 ? "" : times(rate / then)});
      any = any || then != 0;
    } else {
      if (then != 0) without_today.push_back(fmt::format("{} ({})", old.name, fmt::join(old.then, ", ")));
      continue;
    }
    list.add(std::move(cells));
  }
  if (!any) return "";
  return list.text(look.width) +
         (without_today.empty() ? "" : wrapped(fmt::format("Also published: {}", fmt::join(without_today, "; "))));
}

std::string ladder_table(const peer_catalogue& all, const circumstances& circumstances, const screen& look) {
  using enum table::side;
  const std::vector<published_row> rungs = find_table(all, "ladder", circumstances);
  std::vector<table::column> columns{{"rung", left}, {"change", left, true}, {"then"}, {"", left}, {"today"},
                                     {"", left}};
  const bool tells_calls = std::ranges::any_of(rungs, [](const published_row& rung) { return rung.calls != 0; });
  if (tells_calls) columns.insert(columns.end(), {{"writes/MB then"}, {"today"}});
  table list{columns};
  std::vector<double> today;
  for (const published_row& rung : rungs) {
    const peer_row* const now = find_measured(all, rung, circumstances);
    today.push_back(now == nullptr ? 0 : rate_today(*now));
    const double then = rate_then(rung.then.front());
    const double changed = rate_then(rungs[rung.changes].then.front());
    const bool is_change = rung.changes < today.size() - 1;
    const bool is_measured = today.back() > 0;
    std::vector<std::string> cells{
        std::to_string(rung.row),
        rung.name,
        rung.then.front(),
        is_change && then > 0 && changed > 0 ? times(then / changed) : "",
        is_measured ? format_figure(today.back()) : "-",
        is_change && is_measured && today[rung.changes] > 0 ? times(today.back() / today[rung.changes]) : ""};
    if (tells_calls)
      cells.insert(cells.end(), {rung.calls == 0 ? "" : std::to_string(rung.calls),
                                 now == nullptr ? "-" : format_figure(write_calls_today(*now))});
    list.add(std::move(cells));
  }
  return std::ranges::all_of(today, [](double rate) { return rate == 0; }) ? "" : list.text(look.width);
}

std::string under(const std::string& heading, const std::string& list) { return list.empty() ? "" : heading + list; }

// Where the files of today have another size than all those of a table: how to get them beside each other.
std::string other_size(const peer_catalogue& all, std::string_view table, const circumstances& today) {
  std::uint64_t size = 0;
  for (const peer& each : all.peers)
    for (const published_row& row : each.published) {
      if (row.table != table || find_measured(all, row, today) == nullptr) continue;
      if (row.size == today.size) return "";
      if (size == 0) size = row.size;
    }
  if (size == 0) return "";
  return fmt::format("Published figures are of files of {}: --size {} sets them beside today's.\n", format_size(size),
                     format_size_argument(size));
}

}  // namespace

std::vector<program_cell> compare_by_options(std::span<const peers_with_options> all) {
  std::vector<program_cell> cells;
  for (const peers_with_options& each : all) {
    const circumstances today{each.wanted};
    for (const published_row& old : find_table(each.all, "programs", today)) {
      const double then = rate_then(old.then.front());
      const peer_row* const now = find_measured(each.all, old, today);
      if (then == 0 && now == nullptr) continue;
      cells.push_back({.row = old.row,
                       .program = old.name,
                       .options = fmt::format("{}", fmt::join(today.options, ", ")),
                       .then = then == 0 ? "" : old.then.front(),
                       .today = now,
                       .rate_then = then,
                       .rate = now == nullptr ? 0 : rate_today(*now),
                       .cpu = now == nullptr ? 0 : cpu_today(*now)});
    }
  }
  std::ranges::stable_sort(cells, {}, &program_cell::row);
  return cells;
}

std::string format_by_options(std::span<const program_cell> cells, const screen& look) {
  using enum table::side;
  table list{{{"program", left},
              {"options", left},
              {"then", left},
              {"today", left},
              {"", left},
              {"today's peer", left, true, true},
              {"extents", right, false, true},
              {"cold MB/s", right, false, true}}};
  const auto median_of = [](const peer_row* row, auto figure) -> std::string {
    if (row == nullptr) return "";
    std::vector<double> values = collect(samples_to_show(row->measured), figure);
    return values.empty() ? "-" : format_figure(median(std::move(values)));
  };
  std::string_view last;
  for (const program_cell& cell : cells) {
    const bool measured = cell.today != nullptr;
    list.add({cell.program == last ? "" : cell.program, cell.options.empty() ? "none" : cell.options, cell.then,
              measured ? fmt::format("{} @ {} %", format_figure(cell.rate), std::lround(cell.cpu)) : "",
              measured && cell.rate_then > 0 ? times(cell.rate / cell.rate_then) : "", measured ? cell.today->name : "",
              median_of(cell.today, &trial_result::extents), median_of(cell.today, &trial_result::cold_read)});
    last = cell.program;
  }
  return list.text(look.width);
}

void to_json(nlohmann::json& out, const program_cell& cell) {
  out = {{"program", cell.program},
         {"options", cell.options},
         {"then", cell.then},
         {"peer", cell.today == nullptr ? nlohmann::json(nullptr) : nlohmann::json(cell.today->name)},
         {"mib_per_second_then", cell.rate_then},
         {"mib_per_second", cell.rate},
         {"cpu_percent", cell.cpu}};
}

std::string format_published(const peer_catalogue& all, const peer_request& wanted, const screen& look) {
  using enum table::side;
  const circumstances today{wanted};
  if (wanted.workload == workload_kind::bytes)
    return under("One byte per call, published of 512 MiB, and today, times Linux; MB of 2^20 bytes:\n",
                 compare_with_today(all, {.name = "bytes", .columns = {{"way", left}, {"Windows"}, {"Linux"}}}, today,
                                    look)) +
           other_size(all, "bytes", today);
  const shown_table shown{
      .name = "programs", .columns = {{"program", left}, {"then", left}}, .today = left, .with_cpu = true};
  const std::string programs =
      under(fmt::format("\"Creating text files\", 2006, {}{}{}, beside today, to close; MB of 2^20 bytes:\n",
                        format_size(today.size), today.options.empty() ? "" : ", ", fmt::join(today.options, ", ")),
            compare_with_today(all, shown, today, look)) +
      other_size(all, "programs", today);
  const std::string ladder = under("From naive to tuned std::ofstream: what each change is worth; MB of 2^20 bytes:\n",
                                   ladder_table(all, today, look));
  return programs + (programs.empty() || ladder.empty() ? "" : "\n") + ladder;
}

}  // namespace freshet::tool
