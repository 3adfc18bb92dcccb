// Options that several commands have, and how their arguments are read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tool/base/text.hpp"
#include "tool/command/options.hpp"
#include "tool/trial/series.hpp"

namespace freshet::tool {

/// What `compare` and `bench --against` exit with if something is certainly worse than is tolerated, and if that cannot
/// be told.
inline constexpr int exit_worse = 1;
inline constexpr int exit_cannot_tell = 3;

inline constexpr std::uint64_t default_max_bytes = std::uint64_t{64} << 30;

/// How many trials a command makes of each plan, in which order, and the limits of what they write.
struct series_options {
  unsigned rounds = 3;
  unsigned rounds_if_short = 0;  ///< that it goes on to where they take little time, unless the user named a number
  trial_order order = trial_order::random;
  std::uint64_t seed = 1;
  std::uint64_t max_bytes = default_max_bytes;
  bool force = false;  ///< write without a check of the free space

  /// How many rounds it has.
  [[nodiscard]] round_limits limits() const {
    return {.rounds = rounds, .rounds_if_short = rounds_if_short, .max_bytes = max_bytes};
  }

  /// Checks, before anything is written to `directory`, that the `all` bytes that are written in the end stay within
  /// max_bytes, and that the `at_once` bytes of the files that exist at the same time fit. @throws freshet::error
  void check(const std::filesystem::path& directory, std::uint64_t all, std::uint64_t at_once) const;
  /// Checks the same for all rounds of `rows`. @throws freshet::error
  void check(const std::filesystem::path& directory, std::span<const candidate> rows) const;
};

/// Adds --rounds, the number of trials of each `noun`, --order, --seed of the random order, --max-bytes and --force.
void add_series_options(command_parser& command, series_options& series, std::string_view noun);

/// Says on standard error what is wrong with the profile files that the library reads; `command` begins each line.
void print_profile_warnings(std::string_view command);

/// --force, which skips the check of the free space.
void add_force_option(command_parser& command, bool& force);
/// A flag that may also be given as "=on", "=off" and "=on,off".
command_option add_switch_option(command_parser& command, const std::string& name, std::vector<bool>& values,
                                 const choices<bool>& among, const std::string& help);
/// --max-bytes, the limit of what is written in all.
void add_max_bytes_option(command_parser& command, std::uint64_t& bytes);
/// --memory, the state of the memory that each trial starts with.
void add_memory_option(command_parser& command, memory_state& memory);
/// --rounds, the number of trials of each `noun`.
void add_rounds_option(command_parser& command, unsigned& rounds, std::string_view noun);
/// --seed of the random order of trials. Without it, `seed` differs from call to call, so that repeated runs do not
/// share what an order does to their figures.
void add_order_seed_option(command_parser& command, std::uint64_t& seed);
/// The last line of a measuring command: what it wrote in all, and how to repeat the order of its trials.
[[nodiscard]] std::string format_end(std::uint64_t bytes_written, std::uint64_t seed);
/// --seed of what is random, as `purpose` says.
void add_seed_option(command_parser& command, std::uint64_t& seed, std::string_view purpose);
/// --target, what is written to.
void add_target_option(command_parser& command, target_kind& target,
                       const std::string& help = "new files, or overwrite old ones");

/// The time as parse_seconds() reads it: "60s", "2m". Precondition: whole seconds.
[[nodiscard]] std::string format_seconds_argument(double seconds);
/// Reads "5%" or "5" as 0.05. @throws std::invalid_argument
[[nodiscard]] double parse_percent(std::string_view text);
/// 0.05 is "5%".
[[nodiscard]] std::string format_percent_argument(double share);
/// --matters, the share of the time from which a difference matters.
command_option add_matters_option(command_parser& command, double& negligible_share);
/// Those of writing: none, at_close, each_write.
[[nodiscard]] choices<io_class> durabilities();
/// These, and cold and warm.
[[nodiscard]] choices<io_class> classes();
/// text, blocks.
[[nodiscard]] choices<workload_kind> workloads_of_plans();
/// A number of bytes of at least one, as parse_size() reads it. @throws std::invalid_argument
[[nodiscard]] std::uint64_t parse_file_size(std::string_view text);
/// The same for a limit of what is written.
[[nodiscard]] std::uint64_t parse_limit(std::string_view text);
/// "90", "90s", "2m": seconds, more than 0 and at most a year. @throws std::invalid_argument
[[nodiscard]] double parse_seconds(std::string_view text);

}  // namespace freshet::tool
