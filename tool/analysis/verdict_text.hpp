// A verdict in English: the same sentences for the terminal and for the HTML page.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tool/search/ranking.hpp"

namespace freshet::tool {

/// Returns the name that a report gives a candidate.
using candidate_namer = std::function<std::string(const ranked_candidate&)>;

struct verdict_text {
  std::string headline;              ///< a sentence: the leader and its figures
  std::vector<std::string> remarks;  ///< sentences: how the next compares with it and, if undecided, what would decide
};

/// `dash` separates the ends of an interval. Precondition: the ranking is not empty.
[[nodiscard]] verdict_text describe_verdict(const class_verdict& verdict, const candidate_namer& name,
                                            std::string_view dash = "-");

/// "about 14 more rounds would decide"; empty if nothing is undecided.
[[nodiscard]] std::string describe_rounds_needed(const rounds_needed& needed);

}  // namespace freshet::tool
