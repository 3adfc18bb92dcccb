// The answers that the page of `freshet report` begins with: a line for each task.
#pragma once

#include <string>

#include "tool/analysis/group_verdict.hpp"
#include "tool/analysis/groups.hpp"

namespace freshet::tool {

/// Returns what the group's trials answer, in one line of text, without the task: "uring 4 MiB x 2 wins: …". This is
/// the only place where the lines of the page's list `answers` are made.
[[nodiscard]] std::string format_answer(const report_group& group, const group_verdict& verdict);

}  // namespace freshet::tool
