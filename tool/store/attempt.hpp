// The try at a campaign's step that a process is part of: a column of the runs that it keeps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace freshet::tool {

/// The variable by which a step's process, and what it starts, knows its attempt and the store that it belongs to.
inline constexpr const char* attempt_variable = "FRESHET_CAMPAIGN_ATTEMPT";
[[nodiscard]] std::string describe_attempt(std::int64_t attempt, const std::filesystem::path& store);
/// The attempt that this process is part of; 0 if it is none, or its trials go to another store.
[[nodiscard]] std::int64_t attempt_of_this_process(const std::filesystem::path& store);

}  // namespace freshet::tool
