// Published figures of similar programs, beside those of today.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <vector>

#include "tool/base/text.hpp"
#include "tool/report/peers_report.hpp"
#include "tool/report/table.hpp"

namespace freshet::tool {
namespace {

constexpr double their_mb = 1 << 20;  // bytes of a megabyte in the publications

std::vector<published_row> find_table(const peer_catalogue& all, std::string_view name) {
  std::vector<published_row> rows;
  for (const peer& each : all.peers)
    std::ranges::copy_if(each.published, std::back_inserter(rows),
                         [&](const published_row& row) { return row.table == name; });
  std::ranges::sort(rows, {}, &published_row::row);
  return rows;
}

// The row of that name, or of the first of its variants, that has a usable trial; null if there is none.
const peer_row* find_measured(const peer_catalogue& all, const std::string& name) {
  const auto at = std::ranges::find_if(all.rows, [&](const peer_row& row) {
    return (row.name == name || row.name.starts_with(name + '/')) && has_usable_trial(row);
  });
  return at == all.rows.end() ? nullptr : &*at;
}

double rate_today(const peer_row& row) {
  return median(collect(usable_samples(row), [](const peer_trial* trial) { return trial->figures.rate_to_close(); })) *
         1e6 / their_mb;
}

// Percent of one processor, as in the publications.
double cpu_today(const peer_row& row) {
  return 100 * median(collect(usable_samples(row), [](const peer_trial* trial) {
           return trial->figures.cpu_whole / trial->figures.seconds_to_disk;
         }));
}

// The MB/s of "255 @ 100 %"; 0 if it is "-", not published.
double rate_then(const std::string& figure) { return std::strtod(figure.c_str(), nullptr); }

std::string times(double value) { return fmt::format("x {}", format_figure(value)); }

// How the rows of a published table are shown.
struct shown_table {
  std::string_view name;
  std::vector<table::column> columns;  // of the name and the published figures
  std::size_t first_figure = 0;        // of those in the rows
  table::side today = table::side::right;
  bool with_cpu = false;
};

// The published figures, those of the peer of today, and how many times the last published one that is.
std::string compare_with_today(const peer_catalogue& all, const shown_table& shown, const screen& look) {
  using enum table::side;
  std::vector<table::column> columns = shown.columns;
  columns.insert(columns.end(), {{"today's peer", left, true}, {"today", shown.today}, {"", left}});
  table list{columns};
  bool any = false;
  for (const published_row& old : find_table(all, shown.name)) {
    std::vector<std::string> cells{old.name};
    const auto figures = old.then.begin() + static_cast<std::ptrdiff_t>(shown.first_figure);
    cells.insert(cells.end(), figures, figures + std::ssize(shown.columns) - 1);
    const double then = rate_then(cells.back());
    if (const peer_row* const now = find_measured(all, old.peer)) {
      const double rate = rate_today(*now);
      const std::string cpu = shown.with_cpu ? fmt::format(" @ {} %", std::lround(cpu_today(*now))) : "";
      cells.insert(cells.end(), {now->name, format_figure(rate) + cpu, then == 0 ? "" : times(rate / then)});
      any = true;
    } else {
      cells.insert(cells.end(), {old.peer, "-", ""});
    }
    list.add(std::move(cells));
  }
  return any ? list.text(look.width) : "";
}

std::string ladder_table(const peer_catalogue& all, const screen& look) {
  using enum table::side;
  table list{{{"rung", left}, {"change", left, true}, {"then"}, {"", left}, {"today"}, {"", left}}};
  const std::vector<published_row> rungs = find_table(all, "ladder");
  std::vector<double> today;
  for (const published_row& rung : rungs) {
    const peer_row* const now = find_measured(all, rung.peer);
    today.push_back(now == nullptr ? 0 : rate_today(*now));
    const double then = rate_then(rung.then.front());
    const bool is_change = rung.changes < today.size() - 1;
    const bool is_measured = today.back() > 0;
    list.add({std::to_string(rung.row), rung.name, rung.then.front(),
              is_change ? times(then / rate_then(rungs[rung.changes].then.front())) : "",
              is_measured ? format_figure(today.back()) : "-",
              is_change && is_measured && today[rung.changes] > 0 ? times(today.back() / today[rung.changes]) : ""});
  }
  return std::ranges::all_of(today, [](double rate) { return rate == 0; }) ? "" : list.text(look.width);
}

std::string under(const std::string& heading, const std::string& list) { return list.empty() ? "" : heading + list; }

}  // namespace

std::string format_published(const peer_catalogue& all, const peer_request& wanted, const screen& look) {
  using enum table::side;
  if (wanted.workload == workload_kind::bytes)
    return under("One byte per call, published of 512 MiB, and today, times Linux; MB of 2^20 bytes:\n",
                 compare_with_today(all, {.name = "bytes", .columns = {{"way", left}, {"Windows"}, {"Linux"}}}, look));
  const shown_table shown{.name = "programs",
                          .columns = {{"program", left}, {"then", left}},
                          .first_figure = wanted.reserve ? 1U : 0U,
                          .today = left,
                          .with_cpu = true};
  const std::string programs =
      under(fmt::format("\"Creating text files\", 2006, 100 MB{}, beside today, to close; MB of 2^20 bytes:\n",
                        wanted.reserve ? " reserved" : ""),
            compare_with_today(all, shown, look));
  const std::string ladder = under("From naive to tuned std::ofstream: what each change is worth; MB of 2^20 bytes:\n",
                                   ladder_table(all, look));
  return programs + (programs.empty() || ladder.empty() ? "" : "\n") + ladder;
}

}  // namespace freshet::tool
