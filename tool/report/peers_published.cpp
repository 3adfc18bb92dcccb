// Published figures of similar programs, beside those of today.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <vector>

#include "tool/base/size.hpp"
#include "tool/report/peers_report.hpp"
#include "tool/report/table.hpp"

namespace freshet::tool {
namespace {

// The publications use megabytes of 2^20 bytes.
constexpr double their_mb = 1 << 20;

// Megabytes per second, and percent of one processor; 0 if not published.
struct published_rate {
  double rate = 0;
  unsigned cpu = 0;
};

// A program of "Creating text files" (2006; 100 MB), and the peer that corresponds to it.
struct published_program {
  std::string_view name;
  published_rate plain;
  published_rate reserved;  // "defragmented"
  std::string_view peer;
};

constexpr std::array<published_program, 9> text_programs{{
    {"ofstream_unopt, naive", {11, 100}, {5.5}, "cpp-ofstream-ladder/rung-0"},
    {"ofstream, tuned", {80, 100}, {40, 50}, "cpp-ofstream-ladder/rung-8"},
    {"fast_ofstream", {75, 100}, {75, 100}, "cpp-fast-ofstream"},
    {"FileStream, C++", {255, 100}, {267, 96}, "freshet-writer"},
    {"VB.NET FileStream", {206}, {}, "vb-filestream"},
    {"C++/CLI FileStream", {228}, {}, "csharp-filestream"},
    {"Java FileOutputStream", {26}, {20}, "java-fileoutputstream"},
    {"Java NIO", {22}, {24}, "java-nio-channel"},
    {"raw 64 KiB buffer", {145}, {}, "c-write"},
}};

// A step of its ladder of changes, and the index of the step that it changes.
struct published_rung {
  std::string_view change;
  double rate;
  std::size_t before;
};

constexpr std::array<published_rung, 9> rungs{{
    {"naive", 11, 0},
    {"1 KiB buffer", 15, 0},
    {"64 KiB instead, aside", 1, 1},
    {"binary mode", 23.5, 1},
    {"64 KiB buffer", 26, 3},
    {"tabs as one string", 32, 4},
    {"no tellp()", 60, 5},
    {"c_str()", 75, 6},
    {"write() for <<", 80, 7},
}};

// A way of "one byte at a time" (512 MiB), on Windows and on Linux.
struct published_way {
  std::string_view name;
  double windows;
  double linux_rate;
  std::string_view peer;
};

constexpr std::array<published_way, 4> byte_ways_published{{
    {"fwrite; today, fputc", 18.9, 67.6, "c-stdio-naive"},
    {"fwrite, own buffer", 20.4, 69.7, "c-stdio-tuned"},
    {"fwrite_unlocked", 70.5, 93.5, "c-stdio-unlocked"},
    {"fwrite_unlocked, 256K", 93, 94.6, "c-stdio-unlocked"},
}};

double rate_in_their_mb(const peer_row& row) {
  return median_figure(row, [](const peer_trial& trial) { return trial.figures.rate_to_close(); }) * 1e6 / their_mb;
}

// Percent of one processor, as in the publications.
unsigned cpu_percent(const peer_row& row) {
  const auto share = [](const peer_trial& trial) { return trial.figures.cpu_whole / trial.figures.seconds_to_disk; };
  return static_cast<unsigned>(std::lround(100 * median_figure(row, share)));
}

std::string times(double value) { return fmt::format("x {}", format_figure(value)); }

// "255 @ 100 %"
std::string at_cpu(const published_rate& of) {
  if (of.rate == 0) return "-";
  return format_figure(of.rate) + (of.cpu == 0 ? "" : fmt::format(" @ {} %", of.cpu));
}

std::string programs_table(std::span<const peer_row> rows, const peer_request& wanted, const screen& look) {
  using enum table::side;
  table list{{{"program", left}, {"then", left}, {"today's peer", left, true}, {"today", left}, {"", left}}};
  bool any = false;
  for (const published_program& old : text_programs) {
    const published_rate& then = wanted.reserve ? old.reserved : old.plain;
    const peer_row* const now = find_measured(rows, old.peer);
    std::vector<std::string> cells{std::string{old.name}, at_cpu(then)};
    if (now == nullptr) {
      cells.insert(cells.end(), {std::string{old.peer}, "-", ""});
    } else {
      const published_rate today{rate_in_their_mb(*now), cpu_percent(*now)};
      cells.insert(cells.end(), {now->name, at_cpu(today), then.rate == 0 ? "" : times(today.rate / then.rate)});
      any = true;
    }
    list.add(std::move(cells));
  }
  if (!any) return {};
  return fmt::format("\"Creating text files\", 2006, 100 MB{}, beside today, to close; MB of 2^20 bytes:\n",
                     wanted.reserve ? " reserved" : "") +
         list.text(look.width);
}

std::string ladder_table(std::span<const peer_row> rows, const screen& look) {
  using enum table::side;
  table list{{{"rung", left}, {"change", left, true}, {"then"}, {"", left}, {"today"}, {"", left}}};
  std::array<double, rungs.size()> today{};
  bool any = false;
  for (std::size_t at = 0; at < rungs.size(); ++at) {
    const auto& [change, then, before] = rungs.at(at);
    const peer_row* const now = find_measured(rows, fmt::format("cpp-ofstream-ladder/rung-{}", at));
    any = any || now != nullptr;
    today.at(at) = now == nullptr ? 0 : rate_in_their_mb(*now);
    const bool comparable = at != 0 && now != nullptr && today.at(before) > 0;
    list.add({fmt::format("{}", at), std::string{change}, format_figure(then),
              at == 0 ? "" : times(then / rungs.at(before).rate), now == nullptr ? "-" : format_figure(today.at(at)),
              comparable ? times(today.at(at) / today.at(before)) : ""});
  }
  if (!any) return {};
  return "From naive to tuned std::ofstream: what each change is worth; MB of 2^20 bytes:\n" + list.text(look.width);
}

std::string bytes_table(std::span<const peer_row> rows, const screen& look) {
  using enum table::side;
  table list{{{"way", left}, {"Windows"}, {"Linux"}, {"today's peer", left, true}, {"today"}, {"", left}}};
  bool any = false;
  for (const published_way& old : byte_ways_published) {
    const peer_row* const now = find_measured(rows, old.peer);
    any = any || now != nullptr;
    list.add({std::string{old.name}, format_figure(old.windows), format_figure(old.linux_rate),
              now == nullptr ? std::string{old.peer} : now->name,
              now == nullptr ? "-" : format_figure(rate_in_their_mb(*now)),
              now == nullptr ? "" : times(rate_in_their_mb(*now) / old.linux_rate)});
  }
  if (!any) return {};
  return "One byte per call, published of 512 MiB, and today, times Linux; MB of 2^20 bytes:\n" + list.text(look.width);
}

}  // namespace

std::string format_published(std::span<const peer_row> rows, const peer_request& wanted, const screen& look) {
  if (wanted.workload == workload_kind::bytes) return bytes_table(rows, look);
  const std::string programs = programs_table(rows, wanted, look);
  const std::string ladder = ladder_table(rows, look);
  return programs + (programs.empty() || ladder.empty() ? "" : "\n") + ladder;
}

}  // namespace freshet::tool
