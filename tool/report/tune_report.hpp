// What a tuning found out, in words and in JSON.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include <freshet/profile.hpp>

#include "tool/report/screen.hpp"
#include "tool/search/tuning.hpp"

namespace freshet::tool {

/// For each class the winner and why, what is undecided, the ranking, what order costs, and what was left
/// out; then whether the disk slowed down, and the bytes written. Lines fit the screen where names allow.
[[nodiscard]] std::string tune_report(const tuning& found, const screen& look = {});

/// The smallest program that writes and reads files as the winners of the first classes do that were measured.
[[nodiscard]] std::string snippet(const tuning& found);

/// "verdicts", "trials", "bytes_written", "slowdown" and "seconds".
[[nodiscard]] nlohmann::json in_json(const tuning& found);

/// Whether the class has a winner that was held against every method; one that won unopposed is no finding.
[[nodiscard]] bool is_worth_saving(const class_result& made);

/// The profile's entry: the winner of each class that is worth saving.
[[nodiscard]] file_system_profile profile_of(const tuning& found);

}  // namespace freshet::tool
