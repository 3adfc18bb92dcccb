// A verdict in English: the same sentences for the terminal, for JSON and for the HTML page.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tool/search/answer.hpp"
#include "tool/search/ranking.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// "To write new files", "To read files that are in memory": what the plan is for.
[[nodiscard]] std::string_view describe_use(const trial_plan& plan);

/// Returns the name that a report gives a candidate.
using candidate_namer = std::function<std::string(const ranked_candidate&)>;

struct verdict_text {
  std::string answer;  ///< sentences: what to use, how fast that is, how sure, and how that is beside the baseline
  std::vector<std::string> remarks;  ///< sentences: why the pick, how far behind the others are, what would decide
};

/// "To write new files, use uring 4 MiB x 2: 2.3 GB/s, 1.30 x faster (1.12-1.51) than what programs get by themselves.
/// Sure." Where a profile was tried, "…, let the profile name uring 4 MiB x 2: programs get 1.6 GB/s by themselves, 2.3
/// GB/s with this profile, 1.42 x faster (1.2-1.7). Sure." Precondition: the ranking is not empty.
[[nodiscard]] verdict_text describe_verdict(const class_verdict& verdict, const candidate_namer& name);
/// The same with what else is known. Precondition: `answer` is of this verdict.
[[nodiscard]] verdict_text describe_verdict(const class_verdict& verdict, const candidate_namer& name,
                                            const class_answer& answer);

/// "While new memory was slow to touch: to write new files, use uring …": the answer of the trials that met the other
/// state of memory; empty if there are none.
[[nodiscard]] std::string describe_other_memory(const class_verdict& verdict, const candidate_namer& name);

/// "about 14 more rounds would decide"; empty without a number.
[[nodiscard]] std::string describe_rounds_needed(std::optional<std::size_t> rounds);

/// "2.3 GB/s", "295 MB/s".
[[nodiscard]] std::string format_rate(double mb_per_second);

}  // namespace freshet::tool
