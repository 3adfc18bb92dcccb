// Which trials of the store count, and which are repetitions of one another.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tool/search/counted_trials.hpp"
#include "tool/store/record.hpp"

namespace freshet::tool {

/// Why the trial counts in no figure: it is invalid, moved no byte, was a warm-up or the file of
/// a process of its own. Empty if it may count.
[[nodiscard]] std::vector<std::string> find_exclusion_reasons(const record& stored);

/// What is said of a trial that met memory that was slow to touch: it is ranked apart.
inline constexpr std::string_view slow_memory_words = "new memory slow";

/// Which differences make two plans.
enum class plan_part : std::uint8_t { all, all_but_size };

/// Equal for repetitions of one plan: the same method and options, whatever the seed of their random bytes.
[[nodiscard]] std::string make_plan_identity(const record& stored, plan_part which = plan_part::all);

/// Whether the times of the blocks that a method was handed, or gave, are those of their transfer. Not those of a
/// mapping: it takes a block in no time, and the program waits for pages while it fills or reads them.
[[nodiscard]] bool shows_blocks(std::string_view method) noexcept;

}  // namespace freshet::tool
