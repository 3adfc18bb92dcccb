#include <algorithm>
#include <array>
#include <system_error>

#include <freshet/error.hpp>

#include "tool/search/racing.hpp"

namespace freshet::tool {

namespace {

/// Whether the error may come from this plan's way of writing alone.
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

round_runner::round_runner(const trial_source& on, budget& left, std::uint64_t seed, double seconds_per_byte)
    : source_{on},
      left_{left},
      seed_{seed},
      random_{seed},
      start_{on.now()},
      bytes_at_start_{left.bytes},
      seconds_{seconds_per_byte},
      bytes_{seconds_per_byte > 0 ? 1.0 : 0.0} {}

bool round_runner::run_round(std::span<candidate> field, const std::vector<std::size_t>& picked, std::uint64_t size) {
  std::vector<std::size_t> order = picked;
  std::ranges::shuffle(order, random_);
  unsigned position = 0;
  for (const std::size_t i : order) {
    if (!field[i].dropped.empty()) continue;
    if (!affords(field[i], size)) return false;
    if (source_.show) {
      const std::size_t best = leader(field, seed_);
      trial_plan running = field[i].plan;
      running.size = size;
      source_.show({running, best < field.size() ? &field[best] : nullptr, left_.until - source_.now()});
    }
    run_one(field[i], size, position++);
  }
  ++round_;
  return true;
}

std::uint64_t round_runner::fitting_size(std::span<const candidate> field, const std::vector<std::size_t>& picked,
                                         unsigned rounds, double share, std::uint64_t full, std::uint64_t least) const {
  const double seconds_allowed = share * (left_.until - start_) / rounds;
  const double bytes_allowed = share * static_cast<double>(bytes_at_start_) / rounds;
  for (std::uint64_t size = full;; size /= 2) {
    double seconds = 0;
    double bytes = 0;
    for (const std::size_t i : picked) {
      seconds += expected_seconds(field[i], size);
      bytes += static_cast<double>(bytes_moved(field[i].plan, size));
    }
    if ((seconds <= seconds_allowed && bytes <= bytes_allowed) || size / 2 < least) return size;
  }
}

double round_runner::spent() const {
  if (left_.bytes == 0 || source_.now() >= left_.until) return 1;
  const double time = (source_.now() - start_) / (left_.until - start_);
  const double bytes = 1 - static_cast<double>(left_.bytes) / static_cast<double>(bytes_at_start_);
  return std::max(time, bytes);
}

double round_runner::expected_seconds(const candidate& who, std::uint64_t size) const {
  const double around = trials_ > 0 ? overhead_ / trials_ : 0;
  double seconds = seconds_;
  double bytes = bytes_;
  if (!who.trials.empty()) {
    seconds = who.trials.back().seconds_to_disk;
    bytes = static_cast<double>(who.trials.back().bytes);
  }
  return bytes > 0 ? around + seconds / bytes * static_cast<double>(bytes_moved(who.plan, size)) : around;
}

bool round_runner::affords(const candidate& who, std::uint64_t size) {
  if (bytes_moved(who.plan, size) > left_.bytes) end_ = race_end::bytes;
  if (source_.now() + expected_seconds(who, size) > left_.until) end_ = race_end::time;
  return end_ == race_end::settled;
}

void round_runner::run_one(candidate& who, std::uint64_t size, unsigned position) {
  trial_plan plan = who.plan;
  plan.size = size;
  left_.bytes -= bytes_moved(plan, size);
  const double before = source_.now();
  try {
    trial_result made = source_.run(plan);
    made.round = round_;
    made.position = position;
    if (source_.keep) source_.keep(made, true);
    overhead_ += std::max(0.0, source_.now() - before - made.seconds_to_disk);
    seconds_ += made.seconds_to_disk;
    bytes_ += static_cast<double>(made.bytes);
    ++trials_;
    who.trials.push_back(std::move(made));
  } catch (const freshet::error& error) {
    if (!concerns_the_plan(error.code())) throw;
    who.dropped = error.what();
  }
}

}  // namespace freshet::tool
