#include "tool/analysis/crossover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace freshet::tool {
namespace {

std::string plural(unsigned count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

bool is_busy(const fastest_at_work& level) { return level.busy.value_or(0) >= busy_enough; }

// "auto with 2 threads keeps 2 processors busy for 97 % of the time at work 100"
std::string describe_load(const fastest_at_work& level, unsigned processors) {
  const unsigned threads = level.threads * level.ranks;
  const std::string whose = threads > processors ? plural(processors, "processor")
                            : threads == 1       ? std::string{"its thread"}
                                                 : fmt::format("its {} threads", threads);
  return fmt::format("{} with {} keeps {} busy for {:.0f} % of the time at work {}", level.strategy,
                     plural(level.threads, "thread"), whose, 100 * level.busy.value(), level.work);
}

}  // namespace

double compute_busy_share(double cpu_seconds, double seconds, unsigned threads, unsigned processors) {
  return cpu_seconds / (seconds * std::min(threads, std::max(processors, 1U)));
}

std::optional<unsigned> find_crossover(std::span<const fastest_at_work> levels) {
  std::optional<unsigned> from;
  for (auto level = levels.rbegin(); level != levels.rend() && is_busy(*level); ++level) from = level->work;
  return from;
}

std::string describe_crossover(std::span<const fastest_at_work> levels, unsigned processors) {
  if (!std::ranges::all_of(levels, [](const fastest_at_work& level) { return level.busy.has_value(); }))
    return "It was not recorded whether the disk or the CPU is the limit.";
  const std::optional<unsigned> from = find_crossover(levels);
  const auto load = [&](const fastest_at_work& level) { return describe_load(level, processors); };
  if (!std::ranges::is_partitioned(levels, [](const fastest_at_work& level) { return !is_busy(level); })) {
    std::string loads;
    for (const fastest_at_work& level : levels) loads += (loads.empty() ? "" : "; ") + load(level);
    return fmt::format("It is unclear up to which work level the disk is the limit: {}.", loads);
  }
  const std::string_view every = levels.size() == 1 ? "" : "every level ";
  if (!from)
    return fmt::format("The disk is the limit at {}{}work {}: the fastest, {}.", every, every.empty() ? "" : "up to ",
                       levels.back().work, load(levels.back()));
  if (*from == levels.front().work)
    return fmt::format("The CPU is the limit at {}{}work {}: the fastest, {}.", every, every.empty() ? "" : "from ",
                       levels.front().work, load(levels.front()));
  const auto first_busy = std::ranges::find(levels, *from, &fastest_at_work::work);
  return fmt::format("The disk is the limit up to work {}, the CPU from work {} on: the fastest there, {}, and {}.",
                     std::prev(first_busy)->work, first_busy->work, load(*std::prev(first_busy)), load(*first_busy));
}

}  // namespace freshet::tool
