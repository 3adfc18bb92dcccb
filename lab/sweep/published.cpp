#include "lab/sweep/published.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace freshet::tool {
namespace {

/// Seconds by streaming and by buffering.
struct pair_of_seconds {
  unsigned streaming = 0;
  unsigned buffering = 0;
};

constexpr std::array<unsigned, 3> work_levels{0, 100, 1000};

struct published_corpus {
  std::uint64_t bytes_per_file = 0;
  unsigned files = 0;
  std::array<std::array<pair_of_seconds, work_levels.size()>, 4> seconds;  ///< by threads, from 1; by work
};

constexpr std::array<published_corpus, 4> published_corpora{{
    {10'100,
     10'000,
     {{{{{47, 90}, {94, 79}, {163, 158}}},
       {{{95, 112}, {113, 157}, {129, 146}}},
       {{{179, 128}, {130, 144}, {152, 160}}},
       {{{144, 139}, {163, 193}, {156, 204}}}}}},
    {10'500'000,
     100,
     {{{{{138, 157}, {219, 267}, {1125, 1205}}},
       {{{196, 238}, {259, 263}, {604, 691}}},
       {{{292, 250}, {312, 236}, {624, 676}}},
       {{{302, 291}, {321, 281}, {602, 666}}}}}},
    {10'000'100,
     100,
     {{{{{203, 213}, {249, 286}, {1027, 1107}}},
       {{{283, 264}, {311, 296}, {602, 696}}},
       {{{319, 284}, {314, 278}, {608, 618}}},
       {{{360, 300}, {336, 297}, {607, 598}}}}}},
    {100'100'000,
     20,
     {{{{{190, 246}, {349, 441}, {2047, 2165}}},
       {{{365, 375}, {392, 473}, {1097, 1387}}},
       {{{456, 379}, {484, 399}, {1161, 1296}}},
       {{{517, 442}, {521, 431}, {1113, 1214}}}}}},
}};

}  // namespace

std::optional<double> published_speed(const published_cell& cell) {
  const auto* const corpus =
      std::ranges::find(published_corpora, cell.bytes_per_file, &published_corpus::bytes_per_file);
  const auto* const work = std::ranges::find(work_levels, cell.work);
  const bool is_buffering = cell.strategy == "buffering";
  if (corpus == published_corpora.end() || work == work_levels.end() || (!is_buffering && cell.strategy != "streaming"))
    return {};
  if (cell.threads < 1 || cell.threads > corpus->seconds.size()) return {};
  const pair_of_seconds& both =
      corpus->seconds.at(cell.threads - 1).at(static_cast<std::size_t>(work - work_levels.begin()));
  const double bytes = static_cast<double>(corpus->files) * static_cast<double>(corpus->bytes_per_file);
  return bytes / 1e6 / (is_buffering ? both.buffering : both.streaming);
}

}  // namespace freshet::tool
