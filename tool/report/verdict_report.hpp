// What the trials of one class say, in words, as a ranking and in JSON: the same for all commands.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "tool/report/screen.hpp"
#include "tool/search/ranking.hpp"

namespace freshet::tool {

/// What a ranking calls the contestants, by their indices in the field.
using namer = std::function<std::string(const ranked_candidate&)>;

/// The ranking as a table with bars of MB/s, no wider than the screen: who won (">"), who ties with it ("=") and who is
/// undecided ("?"). At most `rows`. Precondition: the ranking is not empty.
[[nodiscard]] std::string ranking_table(const verdict& found, const screen& look, const namer& name,
                                        std::size_t rows = 12);

/// "Winner uring 4 MiB x 2: 3120 MB/s (2980-3200), 0.051 CPU s/GB; decided", the next, and what is undecided: `why`, at
/// what cost, and the rounds that would decide. Precondition: the ranking is not empty.
[[nodiscard]] std::string verdict_in_words(const verdict& found, const screen& look, const namer& name,
                                           const std::string& why = "");

/// What was left out and why, outliers, and whether it mattered when trials were made: a line for each.
[[nodiscard]] std::string oddities_in_words(const verdict& found);

/// "Left out: 3 invalid, the content differs": a line for each kind of reason.
[[nodiscard]] std::string left_out_in_words(const std::map<std::string, std::size_t>& trials_by_reason);

/// "about 14 more rounds would decide"; empty where nothing is undecided.
[[nodiscard]] std::string rounds_in_words(const rounds_needed& needed);

/// "none: the kernel has it; ranked by the time until the program may go on"
[[nodiscard]] std::string class_in_words(io_class what);

/// "uring 4 MiB x 2": the plan's own name.
[[nodiscard]] std::string plan_name(const ranked_candidate& who);

[[nodiscard]] nlohmann::json in_json(const interval& of);
/// "class", "winner", "runner_up", "ratio", "interval", "state", "ranking", "at_worst", "rounds_to_decide", "left_out",
/// "unmeasured", "outliers" and "order".
[[nodiscard]] nlohmann::json in_json(const verdict& found);

}  // namespace freshet::tool
