// Plans in the words of fio, the flexible I/O tester, for whoever wants to see a result confirmed by another tool.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tool/search/ranking.hpp"
#include "tool/trial/trial.hpp"

namespace freshet::tool {

/// Names and values of fio's options, in an order that reads well.
using fio_options = std::vector<std::pair<std::string, std::string>>;

/// fio's engine for `method`; empty where it has none that does the same.
[[nodiscard]] std::string_view fio_engine(std::string_view method);

/// What fio has to be told to do as `plan` does. Precondition: fio has an engine for its method.
[[nodiscard]] fio_options fio_options_of(const trial_plan& plan);

/// What fio does otherwise even so: a sentence each.
[[nodiscard]] std::vector<std::string> fio_differences(const trial_plan& plan);

/// A job file (fio 3.33 or later) with a section for the winner of each class, which fio runs one after another.
[[nodiscard]] std::string fio_job(std::span<const verdict> found, const environment& here);

}  // namespace freshet::tool
