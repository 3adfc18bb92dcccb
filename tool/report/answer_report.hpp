// What `tune` answers, in words that a C++ developer knows, as a short table, and in JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "tool/report/screen.hpp"
#include "tool/search/tuning.hpp"

namespace freshet::tool {

/// "uring 4 MiB x 2", "std::ofstream", "programs by themselves", "programs with this profile": how the plan writes or
/// reads.
[[nodiscard]] std::string name_way(const trial_plan& plan);

/// "{\"file\", {.method = \"uring\"}}": the arguments that name the way in a program. Blocks and depths are named
/// unless they are the method's usual ones.
[[nodiscard]] std::string format_arguments(const trial_plan& plan);

inline constexpr std::size_t other_ways_shown = 2;

/// A table of what programs get by themselves and with the profile that was tried, the best other ways, so many of
/// them, and the baseline, with MB/s, the slowest and the fastest trial, seconds and CPU seconds of one file; empty
/// where nothing is known.
[[nodiscard]] std::string format_ways(const class_result& of, const screen& look,
                                      std::size_t others = other_ways_shown);

/// What to do, what that gains, how sure it is, and where it depends on the size.
[[nodiscard]] std::string format_advice(const class_result& of, const screen& look);

/// What holds for the answers to all questions: that files were smaller than `asked` bytes, and what disturbed the
/// trials that count. Empty if there is nothing.
[[nodiscard]] std::string format_conditions(std::span<const class_result> classes, std::uint64_t asked);

/// "what", "sure", "way", "expected", "by_themselves", "gain", "with_profile", "profile_gain", "over_baseline",
/// "by_size" and "disturbed".
[[nodiscard]] nlohmann::json make_advice_json(const class_result& of);

}  // namespace freshet::tool
