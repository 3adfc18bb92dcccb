#include "tool/command/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <span>

#include "src/method/registry.hpp"
#include "src/pool.hpp"
#include "tool/base/size.hpp"
#include "tool/baseline/baseline.hpp"

namespace freshet::tool {
namespace {

template <typename Value>
std::vector<Value> parse_each(std::string_view text, Value (*read)(std::string_view)) {
  std::vector<Value> values;
  for (const std::string& word : parse_words(text)) values.push_back(read(word));
  return values;
}

// The one of that name, which may be spelt with a dash.
std::optional<io_class> find_class(std::string_view text, std::span<const io_class> classes) {
  std::string name{text};
  std::ranges::replace(name, '-', '_');
  const auto found = std::ranges::find(classes, name, [](io_class what) { return to_string(what); });
  return found == classes.end() ? std::nullopt : std::optional{*found};
}

io_class parse_class(std::string_view text) {
  if (const auto what = find_class(text, all_classes)) return *what;
  reject(text, "a class", "none, at_close, each_write, cold or warm");
}

}  // namespace

void reject(std::string_view text, std::string_view what, std::string_view expected) {
  throw std::invalid_argument{fmt::format("\"{}\" is not {}: expected {}", text, what, expected)};
}

void add_order(CLI::App& app, trial_order& into) {
  const std::map<std::string, trial_order> names = {
      {"cycle", trial_order::cycle}, {"sequential", trial_order::sequential}, {"random", trial_order::random}};
  app.add_option("--order", into, "cycle, sequential or random (random)")->transform(CLI::CheckedTransformer(names));
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

io_class parse_durability(std::string_view text) {
  if (const auto what = find_class(text, writing_classes)) return *what;
  reject(text, "a durability", "none, at_close or each_write");
}

std::vector<io_class> parse_classes(std::string_view text) { return parse_each(text, parse_class); }

workload_kind parse_workload(std::string_view text) {
  for (const auto what : {workload_kind::text, workload_kind::blocks})
    if (to_string(what) == text) return what;
  reject(text, "a workload", "text or blocks");
}

target_kind parse_target(std::string_view text) {
  for (const auto what : {target_kind::fresh, target_kind::overwrite})
    if (to_string(what) == text) return what;
  reject(text, "a target", "new or overwrite");
}

memory_state parse_memory(std::string_view text) {
  for (const auto what : {memory_state::rested, memory_state::reused})
    if (to_string(what) == text) return what;
  reject(text, "a state of memory", "rested or reused");
}

std::uint64_t parse_file_size(std::string_view text) {
  const std::uint64_t bytes = parse_size(text);
  if (bytes == 0) throw std::invalid_argument{"a file without a byte says nothing"};
  return bytes;
}

std::size_t parse_block(std::string_view text) {
  const std::uint64_t bytes = parse_size(text);
  if (bytes != 0 && (bytes < detail::smallest_block || bytes > detail::largest_block || !std::has_single_bit(bytes)))
    reject(text, "a block", "a power of two from 4K to 64M");
  return static_cast<std::size_t>(bytes);
}

std::vector<std::size_t> parse_blocks(std::string_view text) { return parse_each(text, parse_block); }

unsigned parse_depth(std::string_view text) {
  const std::uint64_t blocks = parse_size(text);
  if (blocks > 64) reject(text, "a depth", "1 to 64");
  return static_cast<unsigned>(blocks);
}

std::vector<unsigned> parse_depths(std::string_view text) { return parse_each(text, parse_depth); }

std::string parse_method(std::string_view text) {
  if (text == "auto" || detail::find_method(text) != nullptr || find_baseline(text) != nullptr)
    return std::string{text};
  std::string names = "auto, " + detail::method_names();
  for (const baseline& way : baselines()) names += fmt::format(", {}", way.name);
  reject(text, "a method", "one of " + names);
}

std::vector<std::string> parse_methods(std::string_view text) { return parse_each(text, parse_method); }

double parse_seconds(std::string_view text) {
  const std::string words{text};
  std::size_t used = 0;
  double value = -1;
  try {
    value = std::stod(words, &used);
  } catch (const std::logic_error&) {
    used = 0;
  }
  const std::string unit = words.substr(used);
  const bool minutes = unit == "m";
  if (used == 0 || !(minutes || unit.empty() || unit == "s") || !(value > 0) || !std::isfinite(value))
    throw std::invalid_argument{"\"" + words + "\" is no time: give seconds or minutes, as in 90s or 2m"};
  return minutes ? value * 60 : value;
}

}  // namespace freshet::tool
