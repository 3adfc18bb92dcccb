// Plans as jobs for fio, the flexible I/O tester, so that another tool can confirm a result.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tool/search/ranking.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// Names and values of fio's options, in reading order.
using fio_options = std::vector<std::pair<std::string, std::string>>;

/// The fio engine that does the same as `method`; empty if there is none.
[[nodiscard]] std::string_view fio_engine(std::string_view method);

/// The options that make fio do what `plan` does. Precondition: fio has an engine for its method.
[[nodiscard]] fio_options make_fio_options(const trial_plan& plan);

/// How fio differs nevertheless, one sentence for each difference.
[[nodiscard]] std::vector<std::string> list_fio_differences(const trial_plan& plan);

/// A job file for fio 3.33 or later. Each section holds the winner of one class; fio runs them one after another.
[[nodiscard]] std::string format_fio_job(std::span<const class_verdict> verdicts, const environment& env);

}  // namespace freshet::tool
