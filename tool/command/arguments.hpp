// Arguments that several subcommands take, read the same way by all.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tool/trial/grid.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// @throws std::invalid_argument: "`text`" is not `what`: expected `expected`
[[noreturn]] void reject(std::string_view text, std::string_view what, std::string_view expected);

/// Adds an option whose text `read` turns into a value; what it throws as std::invalid_argument is wrong usage.
template <typename Value>
CLI::Option* add_parsed(CLI::App& app, const std::string& name, Value& into, Value (*read)(std::string_view),
                        const std::string& help) {
  return app.add_option_function<std::string>(
      name,
      [&into, name, read](const std::string& text) {
        try {
          into = read(text);
        } catch (const std::invalid_argument& fault) {
          throw CLI::ValidationError{name, fault.what()};
        }
      },
      help);
}

/// Adds --order, that of trials.
void add_order(CLI::App& app, trial_order& into);

/// The words between commas. @throws std::invalid_argument  where one is empty
[[nodiscard]] std::vector<std::string> parse_words(std::string_view text);
/// @throws std::invalid_argument  for all but none, at_close, each_write (also with a dash)
[[nodiscard]] io_class parse_durability(std::string_view text);
/// Those, and cold and warm. @throws std::invalid_argument
[[nodiscard]] std::vector<io_class> parse_classes(std::string_view text);
/// @throws std::invalid_argument  for all but text, blocks
[[nodiscard]] workload_kind parse_workload(std::string_view text);
/// @throws std::invalid_argument  for all but new, overwrite
[[nodiscard]] target_kind parse_target(std::string_view text);
/// @throws std::invalid_argument  for all but rested, reused
[[nodiscard]] memory_state parse_memory(std::string_view text);
/// A size, of a byte at least. @throws std::invalid_argument
[[nodiscard]] std::uint64_t parse_file_size(std::string_view text);
/// A power of two from 4 KiB to 64 MiB, or 0. @throws std::invalid_argument
[[nodiscard]] std::size_t parse_block(std::string_view text);
[[nodiscard]] std::vector<std::size_t> parse_blocks(std::string_view text);
/// 1 … 64, or 0. @throws std::invalid_argument
[[nodiscard]] unsigned parse_depth(std::string_view text);
[[nodiscard]] std::vector<unsigned> parse_depths(std::string_view text);
/// The name of a method or a baseline, or "auto". @throws std::invalid_argument  naming those that there are
[[nodiscard]] std::string parse_method(std::string_view text);
[[nodiscard]] std::vector<std::string> parse_methods(std::string_view text);

/// "90", "90s", "2m": seconds. @throws std::invalid_argument
[[nodiscard]] double parse_seconds(std::string_view text);

}  // namespace freshet::tool
