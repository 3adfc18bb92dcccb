#include "tool/command/tune_compression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "tool/base/clock.hpp"
#include "tool/base/place.hpp"
#include "tool/base/text.hpp"
#include "tool/report/screen.hpp"
#include "tool/report/table.hpp"
#include "tool/search/compression_trial.hpp"

namespace freshet::tool {
namespace {

// Enough to be several times as long as what starting costs; two of them fit the page cache of small machines.
constexpr std::uint64_t most_of_sample = std::uint64_t{256} << 20;

std::string in_megabytes(double bytes_per_second) { return format_figure(bytes_per_second / 1e6); }

void announce(const compression_tuning& options, const compression_sample& sample,
              const detail::os::file_system& place) {
  fmt::print("Looking for the level of zstd that pays for {} of {}\nin {} ({}). Takes about {}.\n",
             format_size(sample.bytes.size()), printable(sample.path.string()), printable(options.directory.string()),
             place.type, format_duration(options.seconds));
  std::fflush(stdout);
}

std::string format_table(const compression_verdict& verdict) {
  table rows{{{.heading = "level"},
              {.heading = "ratio"},
              {.heading = "processors, MB/s"},
              {.heading = "disk, MB/s"},
              {.heading = "both, MB/s"},
              {.heading = "limit", .flush = table::side::left}}};
  rows.add({"none", "1", "", in_megabytes(verdict.plain), in_megabytes(verdict.plain), "disk"});
  for (const level_limits& each : verdict.levels)
    rows.add({std::to_string(each.level), format_figure(each.ratio), in_megabytes(each.processors),
              in_megabytes(each.disk), in_megabytes(each.stored),
              each.is_limited_by_processors() ? "processors" : "disk"});
  return rows.text();
}

std::string format_verdict(const compression_verdict& verdict) {
  const level_limits& fastest = verdict.fastest;
  const std::string limit =
      verdict.limited_from
          ? fmt::format("From level {} on, the processors are the limit, not the disk.", *verdict.limited_from)
          : fmt::format("The disk is the limit up to level {}.", verdict.levels.back().level);
  const std::string pick =
      fastest.stored > verdict.plain
          ? fmt::format(
                "The fastest is level {}: {} MB/s, {} times as fast as without compression, in {:.0f} % of the space.",
                fastest.level, in_megabytes(fastest.stored), format_figure(fastest.stored / verdict.plain),
                100 / fastest.ratio)
          : fmt::format(
                "No level is as fast as no compression; the fastest, {}, takes {} times as long, in {:.0f} % of the "
                "space.",
                fastest.level, format_figure(verdict.plain / fastest.stored), 100 / fastest.ratio);
  return wrapped(limit + ' ' + pick, 0);
}

nlohmann::json make_json(const compression_verdict& verdict, const compression_sample& sample) {
  nlohmann::json levels = nlohmann::json::array();
  for (const level_limits& each : verdict.levels)
    levels.push_back({{"level", each.level},
                      {"ratio", each.ratio},
                      {"processors_mb_per_s", each.processors / 1e6},
                      {"disk_mb_per_s", each.disk / 1e6},
                      {"stored_mb_per_s", each.stored / 1e6}});
  return {{"sample", {{"path", sample.path.string()}, {"bytes", sample.bytes.size()}}},
          {"plain_mb_per_s", verdict.plain / 1e6},
          {"levels", levels},
          {"limited_from", verdict.limited_from ? nlohmann::json(*verdict.limited_from) : nlohmann::json(nullptr)},
          {"fastest", verdict.fastest.level}};
}

}  // namespace

int tune_compression(const compression_tuning& options, const log_options& log) {
  const compression_sample sample = read_sample(options.sample, most_of_sample);
  const detail::os::file_system place = file_system_at(options.directory);
  require_space(options.directory, sample.bytes.size());
  log.require_writable();
  if (log.allow_text()) announce(options, sample, place);
  run_log results{log, "tune", options.directory};
  progress line;
  const stopwatch watch;
  const auto show = [&](const compression_progress& now) {
    line.show(fmt::format("round {}, {}", now.round,
                          now.plan.level ? fmt::format("level {}", *now.plan.level) : "without compression"),
              std::max(0.0, options.seconds - watch.seconds()));
  };
  const compression_verdict verdict = try_levels(
      sample, options.directory, {.seconds = options.seconds, .bytes = options.max_bytes}, options.seed, show);
  line.clear();
  return results.publish(fmt::format("\n{}\n{}", format_table(verdict), format_verdict(verdict)),
                         make_json(verdict, sample));
}

}  // namespace freshet::tool
