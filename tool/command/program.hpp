// What main() of freshet and of freshet-lab have in common.
#pragma once

#include <functional>

#include "tool/command/options.hpp"

namespace freshet::tool {

/// Does `work`, which returns an exit code, and turns whatever it throws into one line on standard error and an exit
/// code. An interruption is reported by the process of a run that `prints` alone; all of them end in the same way.
[[nodiscard]] int run_reporting_failures(const std::function<int()>& work, const std::function<bool()>& prints);

/// The parser of freshet's commands, without any.
[[nodiscard]] std::unique_ptr<program_parser> make_parser();

}  // namespace freshet::tool
