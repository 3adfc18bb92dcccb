// Who is fastest in a group, in words.
#pragma once

#include <string>
#include <vector>

#include "tool/analysis/groups.hpp"
#include "tool/search/ranking.hpp"

namespace freshet::tool {

/// A row's place in its group's ranking.
struct row_standing {
  std::size_t row = 0;
  comparison to_winner;
};

/// What a group's trials say.
struct group_verdict {
  std::string state;                  ///< "decided", "tie", "undecided", "none" (no valid trial), "alone", "sweep"
  std::string headline;               ///< a sentence
  std::vector<std::string> remarks;   ///< sentences: what else is near, what was left out and why
  std::vector<row_standing> ranking;  ///< the winner first; empty where it is no contest
};

/// The group's field as a search would leave it: a search drops who is clearly slower after a few rounds, but the store
/// only knows that it has fewer of them.
[[nodiscard]] std::vector<candidate> field_of(const report_group& group);

/// By the rules of search/ranking.hpp; files processed line by line are not ranked, but compared cell by cell.
[[nodiscard]] group_verdict verdict_of(const report_group& group, unsigned processors);

/// "3 of 40 trials were left out: 2 as content mismatch, 1 as …"; empty where none was.
[[nodiscard]] std::string left_out_in_words(const report_group& group);

}  // namespace freshet::tool
