#include "tool/command/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <stdexcept>

#include <freshet/error.hpp>
#include <freshet/profile.hpp>

#include "tool/base/failure.hpp"
#include "tool/base/place.hpp"

namespace freshet::tool {

namespace {

constexpr unsigned most_rounds = 10'000;
constexpr double most_seconds = 366.0 * 24 * 60 * 60;

}  // namespace

void series_options::check(const std::filesystem::path& directory, std::uint64_t all, std::uint64_t at_once) const {
  require_budget(directory, all, max_bytes);
  if (!force) require_space(directory, at_once);
}

void series_options::check(const std::filesystem::path& directory, std::span<const candidate> rows) const {
  std::uint64_t written = 0;
  std::uint64_t file_written = 0;
  std::uint64_t file_read = 0;  // is written once
  for (const candidate& row : rows) {
    if (!row.dropped.empty() || row.plan.method == "null") continue;
    (reads(row.plan.measured_class) ? file_read : file_written) = row.plan.size * row.plan.jobs;
    written += compute_bytes_written(row.plan) * rounds;
  }
  check(directory, written + file_read, file_written + file_read);
}

void add_series_options(command_parser& command, series_options& series, std::string_view noun) {
  const auto assign = [&series](std::string_view text) {
    series.rounds = parse_number(text, 1U, most_rounds, "a whole number in its range");
    series.rounds_if_short = 0;
  };
  const std::string if_short =
      series.rounds_if_short == 0 ? "" : fmt::format("; {} if they are short", series.rounds_if_short);
  command.add_parsed("--rounds", assign,
                     fmt::format("Trials of each {}, 1 to {} ({}{})", noun, most_rounds, series.rounds, if_short), "N");
  command.add("--order", series.order, make_choices<trial_order>("an order"),
              "Order of the trials: cycle, sequential or random");
  add_order_seed_option(command, series.seed);
  add_max_bytes_option(command, series.max_bytes);
  add_force_option(command, series.force);
}

void print_profile_warnings(std::string_view command) {
  for (const std::filesystem::path& path : profile_search_path()) {
    std::error_code unseen;
    if (!std::filesystem::exists(path, unseen)) continue;
    try {
      for (const std::string& warning : read_profile(path).warnings)
        fmt::print(stderr, "freshet {}: {}\n", command, warning);
    } catch (const error& unreadable) {
      fmt::print(stderr, "freshet {}: {}\n", command, describe_failure(unreadable));
    }
  }
}

command_option add_switch_option(command_parser& command, const std::string& name, std::vector<bool>& values,
                                 const choices<bool>& among, const std::string& help) {
  const auto assign = [&values, among](const std::string& text) {
    values = text == "true" ? std::vector{among.parse("on")} : among.parse_list(text);
  };
  return command.add_parsed(name + " [=on,off]", assign, help).offer({}).allow_no_argument();
}

void add_force_option(command_parser& command, bool& force) {
  command.add_flag("--force", force, "Try even if the files do not fit the free space");
}

void add_max_bytes_option(command_parser& command, std::uint64_t& bytes) {
  command.add("--max-bytes SIZE", bytes, parse_limit, "Write no more than this in all", format_size_argument);
}

void add_memory_option(command_parser& command, memory_state& memory) {
  command.add("--memory", memory, make_choices<memory_state>("a state of memory"),
              "Memory that the page cache gets: rested, free for long; reused, just freed; left, as it is");
}

void add_rounds_option(command_parser& command, unsigned& rounds, std::string_view noun) {
  command.add("--rounds", rounds, 1, most_rounds, fmt::format("Trials of each {}", noun));
}

void add_order_seed_option(command_parser& command, std::uint64_t& seed) {
  constexpr unsigned short_enough_to_type = 100'000;
  seed = std::random_device{}() % short_enough_to_type;
  command.add_parsed(
      "--seed N",
      [&seed](std::string_view text) {
        seed = parse_number<std::uint64_t>(text, 0, std::numeric_limits<std::uint64_t>::max(), "a whole number");
      },
      "Seed of the random order (another one each time, which is printed)");
}

std::string format_end(std::uint64_t bytes_written, std::uint64_t seed) {
  return fmt::format("written in all: {}; the same order again: --seed {}\n", format_size(bytes_written), seed);
}

void add_seed_option(command_parser& command, std::uint64_t& seed, std::string_view purpose) {
  command.add("--seed", seed, fmt::format("Seed of {}", purpose));
}

void add_target_option(command_parser& command, target_kind& target, const std::string& help) {
  command.add("--target", target, make_choices<target_kind>("a target"), help);
}

double parse_percent(std::string_view text) {
  const std::string_view digits = text.substr(0, text.size() - (text.ends_with('%') ? 1 : 0));
  if (const auto percent = read_number<double>(digits); percent >= 0 && percent <= 1000) return *percent / 100;
  reject(text, "a percentage", "expected one such as 5%");
}

std::string format_percent_argument(double share) { return fmt::format("{:.3g}%", share * 100); }

command_option add_matters_option(command_parser& command, double& negligible_share) {
  return command.add("--matters PERCENTAGE", negligible_share, parse_percent,
                     "Smaller differences of time do not matter", format_percent_argument);
}

std::string format_seconds_argument(double seconds) {
  const bool minutes = seconds >= 120 && std::fmod(seconds, 60) == 0;
  return minutes ? fmt::format("{:.0f}m", seconds / 60) : fmt::format("{:.0f}s", seconds);
}

choices<io_class> durabilities() { return make_choices("a durability", writing_classes); }

choices<io_class> classes() { return make_choices("a class", all_classes); }

choices<workload_kind> workloads_of_plans() { return make_choices("a workload", plan_workloads()); }

std::uint64_t parse_file_size(std::string_view text) {
  const std::uint64_t bytes = parse_size(text);
  if (bytes == 0) throw std::invalid_argument{"the file size must be at least 1 byte"};
  return bytes;
}

std::uint64_t parse_limit(std::string_view text) {
  const std::uint64_t bytes = parse_size(text);
  if (bytes == 0) reject(text, "a limit", "expected at least 1 byte");
  return bytes;
}

double parse_seconds(std::string_view text) {
  std::string_view number = text;
  const bool minutes = number.ends_with('m');
  if (minutes || number.ends_with('s')) number.remove_suffix(1);
  const double seconds = read_number<double>(number).value_or(0) * (minutes ? 60 : 1);
  // Not a number, too.
  if (!(seconds > 0 && seconds <= most_seconds))
    reject(text, "a time", "expected seconds or minutes, such as 90s or 2m, up to a year");
  return seconds;
}

}  // namespace freshet::tool
