#include <algorithm>
#include <array>
#include <system_error>

#include <freshet/error.hpp>

#include "tool/base/interrupt.hpp"
#include "tool/search/racing.hpp"

namespace freshet::tool {
namespace {

// Whether the error may come from this plan's way of writing alone.
bool concerns_the_plan(const std::error_code& code) {
  static constexpr std::array reasons{std::errc::invalid_argument,
                                      std::errc::not_supported,
                                      std::errc::operation_not_supported,
                                      std::errc::function_not_supported,
                                      std::errc::not_enough_memory,
                                      std::errc::operation_not_permitted,
                                      std::errc::resource_unavailable_try_again};
  return std::ranges::any_of(reasons, [&](std::errc reason) { return code == reason; });
}

std::uint64_t bytes_moved(const trial_plan& plan, std::uint64_t size) { return size * plan.jobs; }

}  // namespace

round_runner::round_runner(const trial_source& source, budget& left, std::uint64_t seed, trial_cost expected,
                           bool screening)
    : source_{source},
      left_{left},
      random_{seed},
      start_{source.now()},
      bytes_at_start_{left.bytes},
      trials_{expected.overhead_seconds > 0 ? 1U : 0U},
      screening_{screening},
      overhead_{expected.overhead_seconds},
      seconds_{expected.seconds_per_byte},
      bytes_{expected.seconds_per_byte > 0 ? 1.0 : 0.0} {}

bool round_runner::run_round(std::span<candidate> candidates, const std::vector<std::size_t>& picked,
                             std::uint64_t size) {
  std::vector<std::size_t> order = picked;
  std::ranges::shuffle(order, random_);
  unsigned position = 0;
  for (const std::size_t i : order) {
    if (!candidates[i].dropped.empty()) continue;
    if (is_interrupted() || !affords(candidates[i], size)) return false;
    if (source_.show) {
      const std::size_t best = find_leader(candidates);
      trial_plan running = candidates[i].plan;
      running.size = size;
      source_.show({running, best < candidates.size() ? &candidates[best] : nullptr, left_.until - source_.now()});
    }
    run_one(candidates[i], size, position++);
    if (!may_go_on()) return false;
  }
  ++round_;
  return true;
}

void round_runner::go_on_after(std::span<const candidate> candidates) {
  begin_ranking();
  for (const candidate& entry : candidates)
    for (const trial_result& trial : entry.trials) round_ = std::max(round_, trial.round + 1);
}

std::uint64_t round_runner::fitting_size(std::span<const candidate> candidates, const std::vector<std::size_t>& picked,
                                         unsigned rounds, double share, std::uint64_t full, std::uint64_t least) const {
  const double seconds_allowed = share * (left_.until - start_) / rounds;
  const double bytes_allowed = share * static_cast<double>(bytes_at_start_) / rounds;
  std::uint64_t size = full;
  for (; size / 2 >= std::max<std::uint64_t>(least, 1); size /= 2) {
    const budget cost = expected_cost(candidates, picked, size);
    if (cost.until <= seconds_allowed && static_cast<double>(cost.bytes) <= bytes_allowed) return size;
  }
  // Where even the smallest files take too long, those that take hardly longer say more.
  constexpr double hardly_longer = 1.25;
  const auto seconds = [&](std::uint64_t bytes) { return expected_cost(candidates, picked, bytes).until; };
  while (size < full && seconds(size) > seconds_allowed && seconds(2 * size) <= hardly_longer * seconds(size))
    size *= 2;
  return size;
}

bool round_runner::fits(std::span<const candidate> candidates, const std::vector<std::size_t>& picked, unsigned rounds,
                        std::uint64_t size) const {
  const budget cost = expected_cost(candidates, picked, size);
  return rounds * cost.until <= left_.until - source_.now() && rounds * cost.bytes <= left_.bytes;
}

// What a round takes: seconds, as a time from 0 on, and bytes.
budget round_runner::expected_cost(std::span<const candidate> candidates, const std::vector<std::size_t>& picked,
                                   std::uint64_t size) const {
  budget cost;
  for (const std::size_t i : picked) {
    cost.until += expected_seconds(candidates[i], size);
    cost.bytes += bytes_moved(candidates[i].plan, size);
  }
  return cost;
}

double round_runner::spent() const {
  if (left_.bytes == 0 || source_.now() >= left_.until) return 1;
  const double time = (source_.now() - start_) / (left_.until - start_);
  const double bytes = 1 - static_cast<double>(left_.bytes) / static_cast<double>(bytes_at_start_);
  return std::max(time, bytes);
}

double round_runner::expected_seconds(const candidate& entry, std::uint64_t size) const {
  const double overhead = trials_ > 0 ? overhead_ / trials_ : 0;
  double seconds = seconds_;
  double bytes = bytes_;
  if (!entry.trials.empty()) {
    seconds = entry.trials.back().seconds_to_disk;
    bytes = static_cast<double>(entry.trials.back().bytes);
  }
  return bytes > 0 ? overhead + seconds / bytes * static_cast<double>(bytes_moved(entry.plan, size)) : overhead;
}

bool round_runner::affords(const candidate& entry, std::uint64_t size) {
  if (bytes_moved(entry.plan, size) > left_.bytes) end_ = race_end::bytes;
  if (source_.now() + expected_seconds(entry, size) > left_.until) end_ = race_end::time;
  return may_go_on();
}

bool round_runner::is_interrupted() {
  if (noted_interrupt() != 0) end_ = race_end::interrupted;
  return end_ == race_end::interrupted;
}

void round_runner::run_one(candidate& entry, std::uint64_t size, unsigned position) {
  trial_plan plan = entry.plan;
  plan.size = size;
  left_.bytes -= bytes_moved(plan, size);
  const double before = source_.now();
  try {
    trial_result trial = source_.run(plan);
    trial.round = round_;
    trial.position = position;
    trial.screening = screening_;
    if (source_.keep) source_.keep(trial, entry.is_baseline ? trial_purpose::baseline : trial_purpose::ranking);
    overhead_ += std::max(0.0, source_.now() - before - trial.seconds_to_disk);
    seconds_ += trial.seconds_to_disk;
    bytes_ += static_cast<double>(trial.bytes);
    ++trials_;
    entry.trials.push_back(std::move(trial));
  } catch (const interrupted&) {
    end_ = race_end::interrupted;
  } catch (const freshet::error& error) {
    if (!concerns_the_plan(error.code())) throw;
    entry.dropped = error.what();
  }
}

}  // namespace freshet::tool
