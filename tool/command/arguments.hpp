// Options that several commands have, and how their arguments are read.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "tool/base/reject.hpp"
#include "tool/command/options.hpp"
#include "tool/trial/grid.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

inline constexpr std::uint64_t default_max_bytes = std::uint64_t{64} << 30;

/// --json FILE, to which `content` goes.
command_option add_json_option(command_parser& command, std::string& file, std::string_view content = "all trials");
/// --force, which skips the check of the free space.
void add_force_option(command_parser& command, bool& force);
/// --max-bytes, the limit of what is written in all.
void add_max_bytes_option(command_parser& command, std::uint64_t& bytes);
/// --memory, the state of the memory that each trial starts with.
void add_memory_option(command_parser& command, memory_state& memory);
/// --order of the trials.
void add_order_option(command_parser& command, trial_order& order);
/// --rounds, the number of trials of each `what`.
void add_rounds_option(command_parser& command, unsigned& rounds, std::string_view what);
/// --seed of what is random, as `purpose` says.
void add_seed_option(command_parser& command, std::uint64_t& seed, std::string_view purpose);
/// --target, what is written to.
void add_target_option(command_parser& command, target_kind& target,
                       const std::string& help = "new files, or overwrite old ones");

/// The bytes as parse_size() reads them: "64K", "1G", "100".
[[nodiscard]] std::string format_size_argument(std::uint64_t bytes);
/// The time as parse_seconds() reads it: "60s", "2m". Precondition: whole seconds.
[[nodiscard]] std::string format_seconds_argument(double seconds);
/// "none,at_close".
[[nodiscard]] std::string format_classes(std::span<const io_class> classes);

/// "a, b or c". Precondition: `names` is not empty.
[[nodiscard]] std::string join_alternatives(std::span<const std::string> names);
/// Whether `text` is `name`, whose underscores may be typed as dashes.
[[nodiscard]] bool is_name(std::string_view text, std::string_view name);

/// The one of `kinds` that is called `text`. @throws std::invalid_argument  naming all of them
template <typename Kinds>
[[nodiscard]] typename Kinds::value_type parse_kind(std::string_view text, const Kinds& kinds, std::string_view what) {
  std::vector<std::string> names;
  for (const auto kind : kinds) {
    names.emplace_back(to_string(kind));
    if (is_name(text, names.back())) return kind;
  }
  reject(text, what, "expected " + join_alternatives(names));
}

/// A whole number. @throws std::invalid_argument  unless it is from `least` to `most`
template <typename Number>
[[nodiscard]] Number parse_number(std::string_view text, Number least, Number most, std::string_view what) {
  Number number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure == std::errc{} && end == text.data() + text.size() && number >= least && number <= most) return number;
  reject(text, what, "expected " + std::to_string(least) + " to " + std::to_string(most));
}

/// The words between commas. @throws std::invalid_argument  where one is empty
[[nodiscard]] std::vector<std::string> parse_words(std::string_view text);

/// Each of the words between commas, read by `parse`. @throws std::invalid_argument
template <typename Value>
[[nodiscard]] std::vector<Value> parse_each(std::string_view text, Value (*parse)(std::string_view)) {
  std::vector<Value> values;
  for (const std::string& word : parse_words(text)) values.push_back(parse(word));
  return values;
}

/// @throws std::invalid_argument  for all but none, at_close, each_write
[[nodiscard]] io_class parse_durability(std::string_view text);
/// A list of these, and of cold and warm. @throws std::invalid_argument
[[nodiscard]] std::vector<io_class> parse_classes(std::string_view text);
/// @throws std::invalid_argument  for all but text, blocks
[[nodiscard]] workload_kind parse_workload(std::string_view text);
/// A size of at least one byte. @throws std::invalid_argument
[[nodiscard]] std::uint64_t parse_file_size(std::string_view text);
/// A power of two from 4 KiB to 64 MiB, or 0. @throws std::invalid_argument
[[nodiscard]] std::size_t parse_block(std::string_view text);
[[nodiscard]] std::vector<std::size_t> parse_blocks(std::string_view text);
/// 1 … 64, or 0. @throws std::invalid_argument
[[nodiscard]] unsigned parse_depth(std::string_view text);
[[nodiscard]] std::vector<unsigned> parse_depths(std::string_view text);
/// The name of a method or a baseline, or "auto". @throws std::invalid_argument  naming all of them
[[nodiscard]] std::string parse_method(std::string_view text);
[[nodiscard]] std::vector<std::string> parse_methods(std::string_view text);
/// "90", "90s", "2m": seconds. @throws std::invalid_argument
[[nodiscard]] double parse_seconds(std::string_view text);

}  // namespace freshet::tool
