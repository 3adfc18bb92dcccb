#include "lab/sustain/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tool/analysis/verdict_text.hpp"
#include "tool/base/text.hpp"

namespace freshet::tool {
namespace {

constexpr double first_share = 0.95;  // of what was taken as fast as it went
constexpr double next_share = 0.9;

std::string format_stall(double seconds) {
  if (seconds >= 1) return format_figure(seconds) + " s";
  return seconds >= 0.01 ? fmt::format("{:.0f} ms", seconds * 1e3) : format_figure(seconds * 1e3) + " ms";
}

// Bytes per second from the moment on when a writer fell behind; all, if there is no sample after it.
double rate_since(const load_result& load, double moment) {
  const auto before = std::ranges::find_if(load.samples, [&](const load_sample& each) { return each.at >= moment; });
  if (before == load.samples.end() || load.seconds <= before->at)
    return load.seconds > 0 ? static_cast<double>(load.bytes) / load.seconds : 0;
  return static_cast<double>(load.bytes - before->bytes) / (load.seconds - before->at);
}

sustain_verdict fell_behind(double rate, const load_result& load) {
  const lag& worst = load.worst;
  if (worst.elsewhere > worst.seconds / 2)
    return {sustained::unknown,
            fmt::format("cannot tell: the writers themselves were late, by {} of {} s: the processors had other work",
                        format_figure(worst.elsewhere), format_figure(worst.seconds)),
            {}};
  const double since = rate_since(load, load.fell_behind);
  std::string what = format_rate(since / 1e6);
  if (since >= rate) what = fmt::format("it was {} s behind, and caught up at {}", format_figure(worst.seconds), what);
  return {sustained::no,
          fmt::format("no: after {} {}; the longest stall was {}", format_duration(std::max(load.fell_behind, 0.0)),
                      what, format_stall(load.longest_wait)),
          {}};
}

}  // namespace

sustain_verdict judge(double rate, const load_result& load, std::optional<double> most) {
  if (!load.failure.empty())
    return {
        sustained::unknown, fmt::format("cannot tell: after {}: {}", format_duration(load.seconds), load.failure), {}};
  if (load.worst.seconds > tolerated_lag) return fell_behind(rate, load);
  if (load.sync_seconds > std::max(tolerated_sync, tolerated_sync_share * load.seconds))
    return {sustained::unknown,
            fmt::format(
                "cannot tell: the page cache took it, and the disk needed {} more at the end; a longer --time shows "
                "whether it keeps up",
                format_duration(load.sync_seconds)),
            {}};
  const std::optional<double> spare = most ? std::optional{*most / rate} : std::nullopt;
  const std::string room = spare && *spare > 1 ? fmt::format(", with {:.2g} x to spare", *spare) : "";
  return {sustained::yes, fmt::format("yes{}; the longest stall was {}", room, format_stall(load.longest_wait)), spare};
}

std::optional<slow_second> find_worst_second(const load_result& load) {
  std::optional<slow_second> worst;
  for (std::size_t i = 1; i < load.samples.size(); ++i) {
    const load_sample& before = load.samples[i - 1];
    const load_sample& now = load.samples[i];
    const double rate = static_cast<double>(now.bytes - before.bytes) / (now.at - before.at);
    if (!worst || rate < worst->rate) worst = {.at = before.at, .rate = rate};
  }
  return worst;
}

std::optional<double> find_highest_rate(double most, unsigned tries, const std::function<bool(double)>& holds) {
  double rate = first_share * most;
  for (unsigned i = 0; i < tries; ++i) {
    if (holds(rate)) return rate;
    rate *= next_share;
  }
  return {};
}

}  // namespace freshet::tool
