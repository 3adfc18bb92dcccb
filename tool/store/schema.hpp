// The tables of a store, and how those of an older freshet become those of this one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace SQLite {  // NOLINT(readability-identifier-naming): theirs
class Database;
}

namespace freshet::tool {

/// A store's tables, as SQL.
struct store_schema {
  std::string tables;              ///< makes those of the newest version
  std::vector<std::string> steps;  ///< the first brings version 1 to version 2, and so on
  [[nodiscard]] int version() const noexcept { return static_cast<int>(steps.size()) + 1; }
};

/// That of this freshet.
[[nodiscard]] const store_schema& current_schema();

enum class schema_age : std::uint8_t { none, older, current };

/// Looks at `there`, which was opened from `file`, and changes nothing. `none` is an empty database.
/// @throws freshet::error  where it is not a store, or a newer freshet's; SQLite::Exception
[[nodiscard]] schema_age age_of(SQLite::Database& there, const std::filesystem::path& file, const store_schema& wanted);

/// Makes the tables, or brings them from version to version, all in one transaction. Precondition: age_of() accepts it.
/// @throws as age_of(): another process may have done something to it before
void bring_up_to_date(SQLite::Database& there, const std::filesystem::path& file, const store_schema& wanted);

}  // namespace freshet::tool
