#include "tool/command/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cmath>
#include <stdexcept>

#include "src/method/registry.hpp"
#include "src/pool.hpp"
#include "tool/base/size.hpp"
#include "tool/baseline/baseline.hpp"

namespace freshet::tool {

// Found by parse_kind() only here, in the namespace of its type.
static std::string_view to_string(trial_order order) {
  switch (order) {
    case trial_order::cycle:
      return "cycle";
    case trial_order::sequential:
      return "sequential";
    case trial_order::random:
      break;
  }
  return "random";
}

namespace {

constexpr unsigned most_rounds = 10'000;

io_class parse_class(std::string_view text) { return parse_kind(text, all_classes, "a class"); }

target_kind parse_target(std::string_view text) {
  return parse_kind(text, std::array{target_kind::fresh, target_kind::overwrite}, "a target");
}

memory_state parse_memory(std::string_view text) {
  return parse_kind(text, std::array{memory_state::unbacked, memory_state::recycled}, "a state of memory");
}

trial_order parse_order(std::string_view text) {
  return parse_kind(text, std::array{trial_order::cycle, trial_order::sequential, trial_order::random}, "an order");
}

}  // namespace

command_option add_json_option(command_parser& command, std::string& file, std::string_view content) {
  return command.add("--json", file, fmt::format("Write {} to this file; - is standard output", content));
}

void add_force_option(command_parser& command, bool& force) {
  command.add_flag("--force", force, "Try even if the files do not fit the free space");
}

void add_max_bytes_option(command_parser& command, std::uint64_t& bytes) {
  command.add("--max-bytes", bytes, parse_size, "Write no more than this in all", format_size_argument);
}

void add_memory_option(command_parser& command, memory_state& memory) {
  command.add("--memory", memory, parse_memory,
              "Memory that the page cache gets: rested, free for long, or reused, just freed");
}

void add_order_option(command_parser& command, trial_order& order) {
  command.add("--order", order, parse_order, "Order of the trials: cycle, sequential or random");
}

void add_rounds_option(command_parser& command, unsigned& rounds, std::string_view what) {
  command.add("--rounds", rounds, 1, most_rounds, fmt::format("Trials of each {}", what));
}

void add_seed_option(command_parser& command, std::uint64_t& seed, std::string_view purpose) {
  command.add("--seed", seed, fmt::format("Seed of {}", purpose));
}

void add_target_option(command_parser& command, target_kind& target, const std::string& help) {
  command.add("--target", target, parse_target, help);
}

std::string format_size_argument(std::uint64_t bytes) {
  constexpr std::string_view letters = "KMGT";
  std::size_t power = 0;
  while (bytes != 0 && bytes % 1024 == 0 && power < letters.size()) {
    bytes /= 1024;
    ++power;
  }
  return fmt::format("{}{}", bytes, power == 0 ? "" : letters.substr(power - 1, 1));
}

std::string format_seconds_argument(double seconds) {
  const bool minutes = seconds >= 120 && std::fmod(seconds, 60) == 0;
  return minutes ? fmt::format("{:.0f}m", seconds / 60) : fmt::format("{:.0f}s", seconds);
}

std::string format_classes(std::span<const io_class> classes) {
  std::vector<std::string> names;
  for (const io_class each : classes) names.push_back(to_string(each));
  return fmt::format("{}", fmt::join(names, ","));
}

std::string join_alternatives(std::span<const std::string> names) {
  if (names.size() == 1) return names.front();
  return fmt::format("{} or {}", fmt::join(names.first(names.size() - 1), ", "), names.back());
}

bool is_name(std::string_view text, std::string_view name) {
  return std::ranges::equal(text, name, {}, [](char c) { return c == '-' ? '_' : c; });
}

std::vector<std::string> parse_words(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t comma = text.find(',');
    words.emplace_back(text.substr(0, comma));
    if (words.back().empty()) throw std::invalid_argument{"there is nothing before or after a comma"};
    if (comma == std::string_view::npos) return words;
    text.remove_prefix(comma + 1);
  }
}

io_class parse_durability(std::string_view text) { return parse_kind(text, writing_classes, "a durability"); }

std::vector<io_class> parse_classes(std::string_view text) { return parse_each(text, parse_class); }

workload_kind parse_workload(std::string_view text) { return parse_kind(text, plan_workloads(), "a workload"); }

std::uint64_t parse_file_size(std::string_view text) {
  const std::uint64_t bytes = parse_size(text);
  if (bytes == 0) throw std::invalid_argument{"the file size must be at least 1 byte"};
  return bytes;
}

std::size_t parse_block(std::string_view text) {
  const std::uint64_t bytes = parse_size(text);
  if (bytes != 0 && (bytes < detail::smallest_block || bytes > detail::largest_block || !std::has_single_bit(bytes)))
    reject(text, "a block size", "expected a power of two from 4K to 64M");
  return static_cast<std::size_t>(bytes);
}

std::vector<std::size_t> parse_blocks(std::string_view text) { return parse_each(text, parse_block); }

unsigned parse_depth(std::string_view text) {
  const std::uint64_t blocks = parse_size(text);
  if (blocks > 64) reject(text, "a depth", "expected 1 to 64");
  return static_cast<unsigned>(blocks);
}

std::vector<unsigned> parse_depths(std::string_view text) { return parse_each(text, parse_depth); }

std::string parse_method(std::string_view text) {
  if (text == "auto" || detail::find_method(text) != nullptr || find_baseline(text) != nullptr)
    return std::string{text};
  std::string names = "auto, " + detail::method_names();
  for (const baseline& way : baselines()) names += fmt::format(", {}", way.name);
  reject(text, "a method", "expected one of " + names);
}

std::vector<std::string> parse_methods(std::string_view text) { return parse_each(text, parse_method); }

double parse_seconds(std::string_view text) {
  const std::string number{text};
  std::size_t used = 0;
  double value = -1;
  try {
    value = std::stod(number, &used);
  } catch (const std::logic_error&) {
    used = 0;
  }
  const std::string unit = number.substr(used);
  const bool minutes = unit == "m";
  if (used == 0 || !(minutes || unit.empty() || unit == "s") || !(value > 0) || !std::isfinite(value))
    reject(text, "a time", "expected seconds or minutes, such as 90s or 2m");
  return minutes ? value * 60 : value;
}

}  // namespace freshet::tool
