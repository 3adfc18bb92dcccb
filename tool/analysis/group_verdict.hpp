// A verdict in English, the same sentences for the terminal and for the HTML page; and what the stored trials of a
// group say, in sentences.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tool/analysis/groups.hpp"
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

/// A row's place in its group's ranking.
struct ranked_row {
  std::size_t row = 0;
  comparison to_winner;
};

struct group_verdict {
  std::string state;                      ///< "decided", "tie", "undecided", "none" (no valid trial), "alone", "sweep"
  std::string headline = {};              ///< a sentence
  std::vector<std::string> remarks = {};  ///< sentences: which others are close, and what was left out and why
  std::vector<ranked_row> ranking = {};   ///< the winner first; empty if the group is not ranked
};

/// The group's candidates as a search would leave them. A search drops a candidate that is clearly slower after a few
/// rounds; the store only knows that such a candidate has fewer rounds.
[[nodiscard]] std::vector<candidate> make_candidates(const report_group& group);

/// Follows the rules of search/ranking.hpp. Trials that process files line by line are not ranked, but compared cell by
/// cell; `processors` is the number that their machine has.
[[nodiscard]] group_verdict make_group_verdict(const report_group& group, unsigned processors);

}  // namespace freshet::tool
