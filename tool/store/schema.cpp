#include "tool/store/schema.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <string_view>
#include <system_error>

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Savepoint.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include <freshet/error.hpp>

#include "tool/store/columns.hpp"
#include "tool/store/store_error.hpp"

namespace freshet::tool {
namespace {

// In the file's header (PRAGMA application_id): it tells a store from other programs' databases.
constexpr int application_id = 0x46727374;  // "Frst"

// The journal of campaigns: doc/reference/store.md. That a step has one finished attempt at most is a rule of the
// database, so that nothing can count a step twice.
constexpr const char* campaign_tables = R"(
CREATE TABLE campaigns (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  plan TEXT NOT NULL,
  directory TEXT NOT NULL,
  environment TEXT NOT NULL,
  mount TEXT NOT NULL,
  seed INTEGER NOT NULL,
  unit TEXT NOT NULL,
  started TEXT NOT NULL,
  ended TEXT NOT NULL,
  state TEXT NOT NULL,
  why TEXT NOT NULL,
  last_boot TEXT NOT NULL,
  boots INTEGER NOT NULL
) STRICT;
CREATE TABLE campaign_steps (
  id INTEGER PRIMARY KEY,
  campaign INTEGER NOT NULL REFERENCES campaigns,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  cell TEXT NOT NULL,
  repetition INTEGER NOT NULL,
  words TEXT NOT NULL,
  UNIQUE (campaign, position)
) STRICT;
CREATE TABLE campaign_attempts (
  id INTEGER PRIMARY KEY,
  step INTEGER NOT NULL REFERENCES campaign_steps,
  number INTEGER NOT NULL,
  state TEXT NOT NULL,
  started TEXT NOT NULL,
  ended TEXT NOT NULL,
  boot TEXT NOT NULL,
  cold INTEGER,
  evidence TEXT NOT NULL,
  exit_code INTEGER,
  seconds REAL,
  output TEXT NOT NULL,
  UNIQUE (step, number)
) STRICT;
CREATE INDEX runs_by_attempt ON runs (attempt);
CREATE UNIQUE INDEX one_result_per_step ON campaign_attempts (step) WHERE state = 'finished';
)";

// A function of (name, value) that appends the definition of a column.
auto define_columns(std::string& into, std::string_view prefix = {}) {
  return [&into, prefix]<typename Value>(std::string_view name, const Value& /*value*/) {
    into += fmt::format("  {}{} {},\n", prefix, name, column_type<Value>());
  };
}

std::string format_tables() {
  std::string places;
  const environment place;
  each_setting(place, define_columns(places));
  const run the_run;
  std::string runs;
  each_run_column(the_run, define_columns(runs));
  const record the_trial;
  std::string trials;
  each_trial_column(the_trial, define_columns(trials), define_columns(trials, "plan_"));
  return fmt::format(R"(
CREATE TABLE environments (
  id INTEGER PRIMARY KEY,
{0}  UNIQUE ({1})
) STRICT;
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
{2}  environment INTEGER NOT NULL REFERENCES environments
) STRICT;
CREATE TABLE trials (
  id INTEGER PRIMARY KEY,
{3}  FOREIGN KEY (run) REFERENCES runs
) STRICT;
CREATE INDEX runs_by_start ON runs (started);
CREATE INDEX trials_by_run ON trials (run);
CREATE INDEX trials_by_start ON trials (started);
)",
                     places, list_environment_columns(), runs, trials) +
         campaign_tables;
}

int query_number(SQLite::Database& database, const char* query) { return database.execAndGet(query).getInt(); }

/// The numbers that tell a store from other databases.
struct store_marks {
  int application = 0;
  int version = 0;
  int tables = 0;
};

// Reads all of them in one transaction, since another process may be creating the tables.
store_marks read_marks(SQLite::Database& database) {
  SQLite::Savepoint moment{database, "moment"};
  const store_marks marks{.application = query_number(database, "PRAGMA application_id"),
                          .version = query_number(database, "PRAGMA user_version"),
                          .tables = query_number(database, "SELECT count(*) FROM sqlite_schema")};
  moment.release();
  return marks;
}

error unusable(std::errc code, const std::filesystem::path& file, std::string_view why) {
  return {std::make_error_code(code), "open", file, error::no_offset, why};
}

constexpr const char* add_waits_and_screening =
    "ALTER TABLE trials ADD COLUMN cpu_waited REAL;"
    "ALTER TABLE trials ADD COLUMN screening INTEGER NOT NULL DEFAULT 0";

constexpr const char* add_joined_runs = "ALTER TABLE campaign_attempts ADD COLUMN joined INTEGER NOT NULL DEFAULT 0";

// The steps, each behind those that add the columns of options.
std::vector<std::string> add_options(const std::vector<std::string>& others) {
  std::vector<std::string> steps(others.size());
  each_plan_option([&](const auto& option) {
    if (option.since == 1) return;
    steps.resize(std::max(steps.size(), option.since - 1));
    steps[option.since - 2] += fmt::format("ALTER TABLE trials ADD COLUMN plan_{} {};", option.key, option.column);
  });
  for (std::size_t step = 0; step < others.size(); ++step) steps[step] += others[step];
  return steps;
}

}  // namespace

const store_schema& current_schema() {
  // A new column needs a step that adds it, besides its place in the list that visits all columns. For an option of
  // plans, its row of plan_options has both.
  static const store_schema schema{
      .tables = format_tables() + add_joined_runs,
      .steps = add_options(
          {"ALTER TABLE trials ADD COLUMN first_touch REAL", add_waits_and_screening,
           "ALTER TABLE trials ADD COLUMN met_slow_memory INTEGER NOT NULL DEFAULT 0", "",
           std::string{"ALTER TABLE runs ADD COLUMN attempt INTEGER NOT NULL DEFAULT 0;"} + campaign_tables,
           "ALTER TABLE trials ADD COLUMN page_cache INTEGER", "ALTER TABLE trials ADD COLUMN cold_read REAL",
           add_joined_runs, "ALTER TABLE trials ADD COLUMN cpu_user REAL"})};
  return schema;
}

schema_age read_schema_age(SQLite::Database& database, const std::filesystem::path& file, const store_schema& wanted) {
  const auto [application, version, tables] = read_marks(database);
  if (application == 0 && version == 0 && tables == 0) return schema_age::none;
  if (application != application_id) throw store_error(SQLITE_NOTADB, "open", file);
  if (version > wanted.version())
    throw unusable(
        std::errc::operation_not_supported, file,
        fmt::format("a newer freshet made this store: its version is {}, and this freshet knows versions up to {}",
                    version, wanted.version()));
  if (version < 1) throw store_error(SQLITE_CORRUPT, "open", file);
  return version == wanted.version() ? schema_age::current : schema_age::older;
}

void migrate(SQLite::Database& database, const std::filesystem::path& file, const store_schema& wanted) {
  SQLite::Transaction all{database, SQLite::TransactionBehavior::IMMEDIATE};
  const schema_age age = read_schema_age(database, file, wanted);
  if (age == schema_age::current) return;
  if (age == schema_age::none) {
    database.exec(wanted.tables);
    database.exec(fmt::format("PRAGMA application_id = {}", application_id));
  } else {
    const auto from = static_cast<std::size_t>(query_number(database, "PRAGMA user_version")) - 1;
    for (std::size_t step = from; step < wanted.steps.size(); ++step) database.exec(wanted.steps[step]);
  }
  database.exec(fmt::format("PRAGMA user_version = {}", wanted.version()));
  all.commit();
}

}  // namespace freshet::tool
