// Files that are written to machines whose rates were recorded or drawn, beside the better of two ways known
// afterwards.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/src/method/simulated_file.hpp"

namespace freshet::detail::simulation {

/// The rates of a machine while a file of `size` bytes was written.
struct rate_trace {
  machine on;
  std::uint64_t size = 0;
  unsigned changes = 0;  ///< of a rate, if it was drawn
};

/// Seconds of a file by the rule, and by each of the two ways alone.
struct replayed_file {
  double seconds = 0;
  double cached = 0;
  double device = 0;
  [[nodiscard]] double best() const { return std::min(cached, device); }
  /// 1: as fast as the better way.
  [[nodiscard]] double ratio() const { return best() / seconds; }
};

[[nodiscard]] inline replayed_file replay(const rate_trace& trace) {
  return {.seconds = simulated_file{trace.on}.write(trace.size).seconds,
          .cached = cached_seconds(trace.on, trace.size),
          .device = device_seconds(trace.on, trace.size)};
}

namespace traces {

using row = std::vector<double>;

/// The rows of a file of numbers with that many columns. @throws std::runtime_error  naming the line that is wrong
[[nodiscard]] inline std::vector<row> read_rows(std::istream& in, std::size_t columns, const std::string& path) {
  std::vector<row> rows;
  for (std::string line; std::getline(in, line);) {
    row numbers;
    const char* at = line.c_str();
    while (numbers.size() < columns) {
      char* end = nullptr;
      const double number = std::strtod(at, &end);  // not every C++ library has std::from_chars() for it
      const bool is_last = numbers.size() + 1 == columns;
      if (end == at || *end != (is_last ? '\0' : ',') || !(number >= 0) || !std::isfinite(number))
        throw std::runtime_error{path + ": line " + std::to_string(rows.size() + 2) + " is wrong: '" + line + "'"};
      at = end + 1;
      numbers.push_back(number);
    }
    rows.push_back(numbers);
  }
  if (rows.empty()) throw std::runtime_error{path + ": has no rows"};
  return rows;
}

/// `bytes,cached_seconds,direct_seconds`: what each way took for a part of the file.
[[nodiscard]] inline rate_trace by_bytes(std::vector<row> rows) {
  const auto shared = std::make_shared<const std::vector<row>>(std::move(rows));
  const auto rate = [shared](std::size_t column) {
    return [shared, column](double, std::uint64_t offset) {
      double end = 0;
      const auto there = std::ranges::find_if(
          *shared, [&](const row& each) { return (end += each[0]) > static_cast<double>(offset); });
      const row& found = there == shared->end() ? shared->back() : *there;
      return found[0] / std::max(found[column], 1e-9);
    };
  };
  double size = 0;
  for (const row& each : *shared) size += each[0];
  return {{rate(1), rate(2)}, static_cast<std::uint64_t>(size)};
}

/// `seconds,cached_MBps,device_MBps`: the rates from that second on. The file is as large as the better way writes it
/// within the time of the trace.
[[nodiscard]] inline rate_trace by_time(std::vector<row> rows) {
  const auto shared = std::make_shared<const std::vector<row>>(std::move(rows));
  const auto rate = [shared](std::size_t column) {
    return [shared, column](double now, std::uint64_t) {
      const auto next = std::ranges::find_if(*shared, [&](const row& each) { return each[0] > now; });
      const row& found = next == shared->begin() ? *next : *std::prev(next);
      return std::max(found[column], 0.1) * 1e6;
    };
  };
  double cached = 0;
  double device = 0;
  for (std::size_t i = 0; i + 1 < shared->size(); ++i) {
    const double seconds = (*shared)[i + 1][0] - (*shared)[i][0];
    cached += seconds * (*shared)[i][1] * 1e6;
    device += seconds * (*shared)[i][2] * 1e6;
  }
  return {{rate(1), rate(2)}, static_cast<std::uint64_t>(std::max(cached, device)) / MiB * MiB};
}

}  // namespace traces

/// A trace in one of these two formats. @throws std::runtime_error  if it is neither
[[nodiscard]] inline rate_trace read_trace(const std::filesystem::path& path) {
  std::ifstream in{path};
  std::string header;
  if (!std::getline(in, header)) throw std::runtime_error{path.string() + ": cannot be read"};
  if (header == "bytes,cached_seconds,direct_seconds") return traces::by_bytes(traces::read_rows(in, 3, path.string()));
  if (header == "seconds,cached_MBps,device_MBps") return traces::by_time(traces::read_rows(in, 3, path.string()));
  throw std::runtime_error{path.string() + ": is no trace: it begins with '" + header + "'"};
}

/// Draws a file of 64 MiB to 16 GiB, a page cache of 0.1 to 6 GB/s, a device of 0.1 to 3 GB/s and a program of 0.5 to 4
/// GB/s, all log-uniform, and one to four changes of a rate by a factor of 2 to 10 at any offset.
[[nodiscard]] inline rate_trace draw_trace(std::mt19937_64& random) {
  struct change {
    std::uint64_t offset;
    bool is_cached;
    double factor;
  };
  const auto draw = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution<>{std::log(low), std::log(high)}(random));
  };
  const std::uint64_t size = static_cast<std::uint64_t>(draw(64, 16384)) * MiB;
  std::vector<change> changes(1 + random() % 4);
  for (change& each : changes) {
    const double factor = draw(2, 10);
    each = {random() % size, random() % 2 == 0, random() % 2 == 0 ? factor : 1 / factor};
  }
  const auto rate = [&](double first, bool is_cached) {
    return [changes, first, is_cached](double, std::uint64_t offset) {
      double now = first;
      for (const change& each : changes)
        if (each.is_cached == is_cached && each.offset <= offset) now *= each.factor;
      return now;
    };
  };
  const double cached = draw(0.1e9, 6e9);
  const double device = draw(0.1e9, 3e9);
  return {{rate(cached, true), rate(device, false), draw(0.5e9, 4e9)}, size, static_cast<unsigned>(changes.size())};
}

/// Seconds that no file may take longer than, whatever the trace: doc/decisions/0039-prior.md derives them.
[[nodiscard]] inline double longest_seconds(const rate_trace& trace, const replayed_file& file) {
  using rule = way_rule;
  const auto bytes = static_cast<double>(trace.size);
  double slowest = trace.on.cached(0, 0);
  for (std::uint64_t offset = 0; offset < trace.size; offset += MiB)
    slowest = std::min(slowest, trace.on.cached(0, offset));
  const double slowest_sample = static_cast<double>(rule::sample_bytes) / slowest;
  const double probes = 6 + file.best() / rule::longest_interval;
  const double unseen = std::min(rule::longest_interval, file.best());
  // What the device does while the program works, the page cache does after it.
  const double best = file.best() + bytes * (warm_copy + behind_cost + 1 / trace.on.program);
  const double wait = rule::most_patience * bytes * (1 / slowest + 1 / trace.on.program);
  return best * rule::least_gain / (1 - rule::regret_share) +
         behind_cost * rule::probe_samples * rule::sample_bytes / rule::regret_share +
         trace.changes * (unseen + rule::least_samples * slowest_sample + wait) + probes * slowest_sample;
}

}  // namespace freshet::detail::simulation
