// What the stored trials of a group say, in sentences.
#pragma once

#include <string>
#include <vector>

#include "tool/analysis/groups.hpp"
#include "tool/analysis/lines_drawing.hpp"
#include "tool/analysis/verdict_text.hpp"
#include "tool/search/ranking.hpp"

namespace freshet::tool {

/// A row's place in its group's ranking.
struct ranked_row {
  std::size_t row = 0;
  rank_class place = rank_class::leading;
  comparison to_leader;
};

struct group_verdict {
  std::string state;          ///< "decided", "alike", "undecided", "failed", "none" (no valid trial), "alone", "sweep"
  std::string headline = {};  ///< sentences: the answer
  bool is_sure = false;       ///< more rounds would not change it
  std::vector<std::string> remarks = {};  ///< sentences: which others are close, and what was left out and why
  std::vector<ranked_row> ranking = {};   ///< the pick first; empty if the group is not ranked
};

/// The group's candidates as a search would leave them. A search drops a candidate that is clearly slower after a few
/// rounds; the store only knows that such a candidate has fewer rounds, and that each of its trials was slower than the
/// fastest of the others by more than what matters.
[[nodiscard]] std::vector<candidate> make_candidates(const report_group& group);

/// Names the group's rows in sentences. The group must outlive what is returned.
[[nodiscard]] candidate_namer name_rows(const report_group& group);

/// Follows the rules of search/ranking.hpp. Trials that process files line by line are not ranked: `lines` says what
/// they say, and is null for other groups.
[[nodiscard]] group_verdict make_group_verdict(const report_group& group, const lines_section* lines = nullptr);

}  // namespace freshet::tool
