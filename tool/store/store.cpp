#include "tool/store/store.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include "tool/base/clock.hpp"
#include "tool/base/place.hpp"
#include "tool/store/columns.hpp"
#include "tool/store/database.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

// A selection as SQL conditions.
class condition {
 public:
  explicit condition(const selection& which) : which_{which} {}

  [[nodiscard]] std::string sql_for_runs() const { return sql("runs.id", "command = :command"); }
  [[nodiscard]] std::string sql_for_trials() const {
    return sql("run", "run IN (SELECT id FROM runs WHERE command = :command)");
  }
  void bind(SQLite::Statement& into) const {
    if (!which_.since.empty()) into.bind(":since", which_.since);
    if (!which_.before.empty()) into.bind(":before", which_.before);
    if (!which_.command.empty()) into.bind(":command", which_.command);
  }

 private:
  // `run`: the column of a run's id; `of_command`: the condition for the command.
  [[nodiscard]] std::string sql(std::string_view run, std::string_view of_command) const {
    std::string sql = "TRUE";
    if (!which_.since.empty()) sql += " AND started >= :since";
    if (!which_.before.empty()) sql += " AND started < :before";
    if (!which_.runs.empty()) sql += fmt::format(" AND {} IN ({})", run, fmt::join(which_.runs, ", "));
    if (!which_.command.empty()) sql += fmt::format(" AND {}", of_command);
    return sql;
  }

  const selection& which_;
};

std::string list_run_columns() {
  std::string list;
  const run run;
  each_run_column(run, name_columns(list));
  return list;
}

std::string list_trial_columns() {
  std::string list;
  const record record;
  each_trial_column(record, name_columns(list), name_columns(list, "plan_"));
  return list;
}

// "?, ?, ?", one for each name in `list`.
std::string placeholders(std::string_view list) {
  std::string marks = "?";
  for (const char each : list)
    if (each == ',') marks += ", ?";
  return marks;
}

}  // namespace

class store::database : public open_database {
 public:
  using open_database::open_database;

  [[nodiscard]] std::int64_t find_or_add_environment(const environment& env);
  void insert(record& trial);
  [[nodiscard]] record read_trial(SQLite::Statement& row) const;

 private:
  std::optional<SQLite::Statement> insert_trial_;  // declared after the database that it belongs to
};

std::int64_t store::database::find_or_add_environment(const environment& env) {
  static const std::string list = list_environment_columns();
  // RETURNING has a row only if the statement changes one, so an existing row is set to what it is.
  SQLite::Statement insert{
      handle(), fmt::format("INSERT INTO environments ({}) VALUES ({}) ON CONFLICT DO UPDATE SET machine = machine "
                            "RETURNING id",
                            list, placeholders(list))};
  each_setting(env, parameters{insert});
  insert.executeStep();
  const std::int64_t id = insert.getColumn(0);
  insert.executeStep();
  return id;
}

void store::database::insert(record& trial) {
  static const std::string list = list_trial_columns();
  if (!insert_trial_)
    insert_trial_.emplace(handle(), fmt::format("INSERT INTO trials ({}) VALUES ({})", list, placeholders(list)));
  insert_trial_->tryReset();
  const parameters values{*insert_trial_};
  each_trial_column(std::as_const(trial), values, values);
  insert_trial_->exec();
  trial.id = handle().getLastInsertRowid();
}

record store::database::read_trial(SQLite::Statement& row) const {
  record trial;
  const row_reader read{row};
  try {
    read("id", trial.id);
    each_trial_column(trial, read, read);
    name_defaults(trial);
  } catch (const SQLite::Exception&) {
    throw;
  } catch (const std::exception& malformed) {
    refuse(std::errc::illegal_byte_sequence, "read", file(),
           fmt::format("trial {} is corrupt: {}", trial.id, malformed.what()));
  }
  return trial;
}

fs::path default_store() {
  const fs::path state = user_directory("XDG_STATE_HOME", ".local/state");
  return state.empty() ? fs::path{} : state / "freshet" / "trials.sqlite";
}

store::store(const fs::path& path, access how) : database_{std::make_unique<database>(path, how)} {}
store::store(store&&) noexcept = default;
store& store::operator=(store&&) noexcept = default;
store::~store() = default;

std::int64_t store::begin(const run& run) {
  static const std::string list = list_run_columns() + ", environment";
  return database_->work("write to", [&](SQLite::Database& handle) {
    SQLite::Transaction both{handle, SQLite::TransactionBehavior::IMMEDIATE};
    const std::int64_t environment_id = database_->find_or_add_environment(run.env);
    SQLite::Statement insert{handle, fmt::format("INSERT INTO runs ({}) VALUES ({})", list, placeholders(list))};
    const parameters values{insert};
    each_run_column(run, values);
    values("environment", environment_id);
    insert.exec();
    const std::int64_t id = handle.getLastInsertRowid();
    both.commit();
    return id;
  });
}

void store::end(std::int64_t run) {
  database_->work("write to", [&](SQLite::Database& handle) {
    SQLite::Statement update{handle, "UPDATE runs SET ended = ? WHERE id = ?"};
    update.bind(1, format_utc_now());
    update.bind(2, run);
    update.exec();
  });
}

void store::add(record& trial) {
  database_->work("write to", [&](SQLite::Database& /*handle*/) { database_->insert(trial); });
}

std::vector<run> store::runs(const selection& which) const {
  static const std::string list = fmt::format(
      "runs.id, {}, {}, EXISTS (SELECT 1 FROM campaign_attempts tries WHERE tries.id = runs.attempt "
      "AND tries.state != 'finished') AS lacks_result",
      list_run_columns(), list_environment_columns());
  return database_->work("read", [&](SQLite::Database& handle) {
    const condition wanted{which};
    SQLite::Statement rows{
        handle, fmt::format("SELECT {} FROM runs JOIN environments ON environments.id = environment WHERE {} "
                            "ORDER BY runs.id",
                            list, wanted.sql_for_runs())};
    wanted.bind(rows);
    std::vector<run> runs;
    while (rows.executeStep()) {
      run& next = runs.emplace_back();
      const row_reader read{rows};
      read("id", next.id);
      each_run_column(next, read);
      each_setting(next.env, read);
      read("lacks_result", next.lacks_result);
    }
    return runs;
  });
}

void store::each(const selection& which, const std::function<void(record&&)>& take) const {
  static const std::string list = "id, " + list_trial_columns();
  const condition wanted{which};
  auto rows = database_->work("read", [&](SQLite::Database& handle) {
    SQLite::Statement query{handle,
                            fmt::format("SELECT {} FROM trials WHERE {} ORDER BY id", list, wanted.sql_for_trials())};
    wanted.bind(query);
    return query;
  });
  const auto next = [&]() -> std::optional<record> {
    if (!rows.executeStep()) return {};
    return database_->read_trial(rows);
  };
  // Exceptions of `take` pass through unchanged.
  while (auto trial = database_->work("read", [&](SQLite::Database& /*handle*/) { return next(); }))
    take(std::move(*trial));
}

std::uint64_t store::count(const selection& which) const {
  const condition wanted{which};
  return database_->work("read", [&](SQLite::Database& handle) {
    SQLite::Statement row{handle, fmt::format("SELECT count(*) FROM trials WHERE {}", wanted.sql_for_trials())};
    wanted.bind(row);
    row.executeStep();
    return static_cast<std::uint64_t>(row.getColumn(0).getInt64());
  });
}

task_sizes store::sizes() const {
  return database_->work("read", [&](SQLite::Database& handle) {
    SQLite::Statement rows{handle,
                           "SELECT run, workload, plan_class, max(plan_size) FROM trials "
                           "WHERE NOT coalesce(json_extract(more, '$.warm_up'), 0) "
                           "AND NOT coalesce(json_extract(more, '$.diagnosis'), 0) "
                           "AND NOT coalesce(json_extract(more, '$.program'), 0) GROUP BY run, workload, plan_class"};
    task_sizes sizes;
    while (rows.executeStep()) {
      if (const auto measured_class = from_name<io_class>(rows.getColumn(2).getString()))
        sizes[{rows.getColumn(0).getInt64(), rows.getColumn(1).getString(), *measured_class}] =
            static_cast<std::uint64_t>(rows.getColumn(3).getInt64());
    }
    return sizes;
  });
}

std::vector<record> store::records(const selection& which) const {
  std::vector<record> all;
  each(which, [&](record&& next) { all.push_back(std::move(next)); });
  return all;
}

}  // namespace freshet::tool
