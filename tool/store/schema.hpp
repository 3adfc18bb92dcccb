// The tables of a store, and the steps that migrate the tables of an older freshet.
#pragma once

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
  std::string tables;              ///< creates the tables of the newest version
  std::vector<std::string> steps;  ///< the first migrates version 1 to version 2, and so on
  [[nodiscard]] int version() const noexcept { return static_cast<int>(steps.size()) + 1; }
};

/// The schema of this freshet.
[[nodiscard]] const store_schema& current_schema();

enum class schema_age : std::uint8_t { none, older, current };

/// Compares the schema of `database`, opened from `file`, with `wanted`, and changes nothing. `none` is an empty
/// database.
/// @throws freshet::error  if it is not a store, or a newer freshet's; SQLite::Exception
[[nodiscard]] schema_age read_schema_age(SQLite::Database& database, const std::filesystem::path& file,
                                         const store_schema& wanted);

/// Creates the tables, or migrates them step by step, in one transaction. Precondition: read_schema_age() does not
/// throw.
/// @throws as read_schema_age(), since another process may have changed the store in between
void migrate(SQLite::Database& database, const std::filesystem::path& file, const store_schema& wanted);

}  // namespace freshet::tool
