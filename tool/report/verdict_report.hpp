// The verdict on the trials of one class, as sentences, as a ranking and in JSON: the same for all commands.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "tool/analysis/verdict_text.hpp"
#include "tool/report/screen.hpp"
#include "tool/search/ranking.hpp"
#include "tool/search/statistics.hpp"

namespace freshet::tool {

/// Returns the ranking as a table with bars of MB/s, no wider than the screen and with at most `rows` rows besides the
/// baselines, and a line that explains its marks: ">" the pick, "=" others of the leading group, "?" those that left
/// early. MB/s are each way's own median. Precondition: the ranking is not empty.
[[nodiscard]] std::string format_ranking(const class_verdict& verdict, const screen& look, const candidate_namer& name,
                                         std::size_t rows = 6);

/// Returns the figures of each candidate as they were measured, each in its own trials, as a table. Precondition: the
/// ranking is not empty.
[[nodiscard]] std::string format_measured_figures(const class_verdict& verdict, const screen& look,
                                                  const candidate_namer& name);

/// Returns the verdict's answer, and `more` sentences behind it, as a line, broken if it is long. Precondition: the
/// ranking is not empty.
[[nodiscard]] std::string format_answer(const class_verdict& verdict, const screen& look, const candidate_namer& name,
                                        std::string_view more = {});

/// The same with what else is known. Precondition: `answer` is of this verdict.
[[nodiscard]] std::string format_answer(const class_verdict& verdict, const screen& look, const candidate_namer& name,
                                        const class_answer& answer, std::string_view more);

/// Returns the answer, the remarks and all of the ranking. Precondition: the ranking is not empty.
[[nodiscard]] std::string format_verdict(const class_verdict& verdict, const screen& look, const candidate_namer& name);

/// Returns the verdict's remarks as indented lines. Precondition: the ranking is not empty.
[[nodiscard]] std::string format_remarks(const class_verdict& verdict, const candidate_namer& name);

/// Returns that one of the remarks which is about trials that met another state of memory, indented; empty if there are
/// none. Precondition: the ranking is not empty.
[[nodiscard]] std::string format_other_memory(const class_verdict& verdict, const candidate_namer& name);

/// Returns a line for each kind of invalid trial, for the outliers, and for each effect that the order of the trials
/// had.
[[nodiscard]] std::string format_oddities(const class_verdict& verdict);

/// "Disturbed trials that count for want of others: 2 of 10 (others wrote to vda meanwhile, …)."; empty if none counts.
[[nodiscard]] std::string describe_disturbed(const disturbances& all);

/// Returns a line for each kind of reason: "Left out: 3 invalid, the content differs".
[[nodiscard]] std::string format_left_out(const std::map<std::string, std::size_t>& trials_by_reason);

/// "none: the kernel has the data; ranked by the time until the program may go on"
[[nodiscard]] std::string describe_class(io_class measured_class);

/// "uring 4 MiB x 2", "std::ofstream": a candidate_namer that uses the plan alone.
[[nodiscard]] std::string format_plan_name(const ranked_candidate& ranked);

/// "1.15-1.30"
[[nodiscard]] std::string format_range(const interval& range);

void to_json(nlohmann::json& out, const interval& range);
/// "trials", "of" how many, how many of them "counted", and the most frequent "reason".
void to_json(nlohmann::json& out, const disturbances& all);
void to_json(nlohmann::json& out, const outlying_trial& one);
void to_json(nlohmann::json& out, const order_effect& effect);
/// "ratio" with its "interval", "confidence" and "rounds", "paired" and "gain".
void to_json(nlohmann::json& out, const comparison& against);
/// The figures of a candidate, and how it compares with the pick. "bounds" is "interval" under its older name.
void to_json(nlohmann::json& out, const ranked_candidate& ranked);
/// "class", "answer", "remarks", "winner", "state", "decided_by", "matters", "ranking", "baselines", "at_worst",
/// "rounds_to_decide", "left_out", "disturbed", "unmeasured", "outliers", "order", "met_slow_memory" and
/// "other_memory", which has the verdict on trials that met the other state of memory, or null.
void to_json(nlohmann::json& out, const class_verdict& verdict);

/// Returns a bar of up to `columns` columns, which represent `most`: solid up to the start of the interval, then dotted
/// up to its end: "━━━━━━━━┅┅", or "########--" without Unicode. At least one column wide if the value is not 0.
/// Precondition: most > 0, and range.high <= most.
[[nodiscard]] std::string bar(const interval& range, double most, std::size_t columns, const screen& look);

}  // namespace freshet::tool
