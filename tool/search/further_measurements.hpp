// What `tune` measures in the time that the answers leave: other blocks of the recommended way, how long programs will
// take, and what explains the machine.
#pragma once

#include <vector>

#include "tool/search/tuning.hpp"

namespace freshet::tool {

/// Compares the way that is recommended for the class with other blocks and depths of its method. Empty where programs
/// need not change anything, or nothing was tried.
[[nodiscard]] std::optional<answered_question> try_other_blocks(const class_result& of, const tune_setup& setup,
                                                                const trial_source& source, budget& left);

/// Starts programs that write two files each as it is recommended, as long as there is budget. Sets `of`'s programs
/// and next_file. Does nothing for classes that read, or where the source starts no programs. @throws freshet::error;
/// interrupted
void forecast(class_result& of, const tune_setup& setup, const trial_source& source, budget& left);

/// The simplest page cache method on memory at rest, then on memory just freed, as far as the budget goes.
[[nodiscard]] std::vector<candidate> measure_memory(const tune_setup& setup, const trial_source& source, budget& left);

/// The best asynchronous plan of the first class that has one, then the same plan without order, and with the size set
/// ahead as well; empty if there is none.
[[nodiscard]] std::vector<candidate> measure_order_costs(const tune_setup& setup, std::span<const class_result> classes,
                                                         const trial_source& source, budget& left);

}  // namespace freshet::tool
