// A verdict in English: the same sentences for the terminal, for JSON and for the HTML page.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tool/search/ranking.hpp"

namespace freshet::tool {

/// Returns the name that a report gives a candidate.
using candidate_namer = std::function<std::string(const ranked_candidate&)>;

struct verdict_text {
  std::string answer;                ///< a sentence: what to use, how fast that is, and how sure
  std::vector<std::string> remarks;  ///< sentences: why the pick, how far behind the others are, what would decide
};

/// "Write with uring 4 MiB x 2: 2.3 GB/s, 9 x std::ofstream, an eighth of its CPU (sure; direct may be as good)."
/// Precondition: the ranking is not empty.
[[nodiscard]] verdict_text describe_verdict(const class_verdict& verdict, const candidate_namer& name);

/// "While new memory was slow to touch: write with uring …": the answer of the trials that met the other state of
/// memory; empty if there are none.
[[nodiscard]] std::string describe_other_memory(const class_verdict& verdict, const candidate_namer& name);

/// "about 14 more rounds would decide"; empty without a number.
[[nodiscard]] std::string describe_rounds_needed(std::optional<std::size_t> rounds);

/// "2.3 GB/s", "295 MB/s".
[[nodiscard]] std::string format_rate(double mb_per_second);

}  // namespace freshet::tool
