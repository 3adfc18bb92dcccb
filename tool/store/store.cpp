#include "tool/store/store.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include <freshet/error.hpp>

#include "src/os/environment.hpp"
#include "src/os/file.hpp"
#include "tool/base/interrupt.hpp"
#include "tool/measure/clock.hpp"
#include "tool/store/columns.hpp"
#include "tool/store/schema.hpp"
#include "tool/store/store_error.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;

constexpr double patience = 10;  // seconds that another process may have the store for itself

// SQLite says only that it could not; the system knows why. @throws freshet::error
void say_why_not(const fs::path& file, store::access how) {
  std::error_code failure;
  const bool writes = how == store::access::write;
  using disposition = detail::os::open_request::disposition;
  const detail::os::file seen = detail::os::file::open(
      file, {.what = writes ? disposition::create : disposition::existing, .read = true, .write = writes}, failure);
  if (failure) throw error{failure, "open", file};
}

// What is no database must not even be opened: a pipe would wait for somebody to write to it, and a file of a few bytes
// is an empty one to SQLite. @throws freshet::error
void require_file(const fs::path& file, store::access how) {
  std::error_code failure;
  const fs::file_status there = fs::status(file, failure);
  if (fs::exists(there) && !fs::is_regular_file(there))
    throw error{std::make_error_code(std::errc::invalid_argument), "open", file, error::no_offset, "it is not a file"};
  constexpr std::uintmax_t smallest = 512;  // bytes of a database that has anything in it
  if (fs::is_regular_file(there) && fs::file_size(file) > 0 && fs::file_size(file) < smallest)
    throw store_error(SQLITE_NOTADB, "open", file);
  if (there.type() != fs::file_type::not_found) return;
  if (how == store::access::read) throw error{failure, "open", file};
  fs::create_directories(file.parent_path(), failure);
  if (failure) throw error{failure, "make the directory of", file};
}

// The rows that a selection is about, as SQL.
class condition {
 public:
  explicit condition(const selection& which) : which_{which} {}

  [[nodiscard]] std::string of_runs() const {
    std::string sql = times();
    if (!which_.runs.empty()) sql += fmt::format(" AND runs.id IN ({})", fmt::join(which_.runs, ", "));
    if (!which_.command.empty()) sql += " AND command = :command";
    return sql;
  }
  [[nodiscard]] std::string of_trials() const {
    std::string sql = times();
    if (!which_.runs.empty()) sql += fmt::format(" AND run IN ({})", fmt::join(which_.runs, ", "));
    if (!which_.command.empty()) sql += " AND run IN (SELECT id FROM runs WHERE command = :command)";
    return sql;
  }
  void bind(SQLite::Statement& into) const {
    if (!which_.since.empty()) into.bind(":since", which_.since);
    if (!which_.before.empty()) into.bind(":before", which_.before);
    if (!which_.command.empty()) into.bind(":command", which_.command);
  }

 private:
  [[nodiscard]] std::string times() const {
    std::string sql = "TRUE";
    if (!which_.since.empty()) sql += " AND started >= :since";
    if (!which_.before.empty()) sql += " AND started < :before";
    return sql;
  }

  const selection& which_;
};

// "a, b, c" of the names that a visitor hands it, each with the prefix.
class names {
 public:
  explicit names(std::string& list, std::string_view prefix = {}) : list_{list}, prefix_{prefix} {}
  template <typename Value>
  void operator()(std::string_view name, const Value& /*value*/) const {
    list_ += fmt::format("{}{}{}", list_.empty() ? "" : ", ", prefix_, name);
  }

 private:
  std::string& list_;
  std::string_view prefix_;
};

std::string environment_columns() {
  std::string list;
  const environment any;
  each_setting(any, names{list});
  return list;
}

std::string run_columns() {
  std::string list;
  const run any;
  each_run_column(any, names{list});
  return list;
}

std::string trial_columns() {
  std::string list;
  const record any;
  each_trial_column(any, names{list}, names{list, "plan_"});
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

/// Asks others' locks again and again, until its patience ends or a signal comes.
class lock_wait {
 public:
  explicit lock_wait(SQLite::Database& database) { sqlite3_busy_handler(database.getHandle(), &ask_again, this); }
  lock_wait(const lock_wait&) = delete;
  lock_wait& operator=(const lock_wait&) = delete;

 private:
  static int ask_again(void* self, int asked_before) {
    stopwatch& watch = static_cast<lock_wait*>(self)->watch_;
    if (asked_before == 0) watch = {};
    try {
      constexpr double pause = 0.005;
      sleep_interruptibly(pause);
    } catch (const interrupted&) {
      return 0;  // store_error() throws it on: this was called by C
    }
    return watch.seconds() < patience ? 1 : 0;
  }

  stopwatch watch_;
};

class store::database {
 public:
  database(const fs::path& path, access how);

  /// Does `work` with the database, as reporting() does.
  template <typename Work>
  decltype(auto) work(std::string_view operation, Work&& work) {
    return reporting(operation, file_, [&]() -> decltype(auto) { return work(*handle_); });
  }

  [[nodiscard]] std::int64_t environment_id(const environment& here);
  void insert(record& made);
  [[nodiscard]] record trial_of(SQLite::Statement& row) const;

 private:
  void connect(access how);
  [[nodiscard]] bool is_ready_to_be_read();
  void make_ready_to_be_written();

  fs::path file_;
  std::optional<SQLite::Database> handle_;
  std::optional<lock_wait> wait_;
  std::optional<SQLite::Statement> insert_trial_;  // after what it belongs to
};

// An absolute path is a file to SQLite, whatever its name.
store::database::database(const fs::path& path, access how) : file_{fs::absolute(path).lexically_normal()} {
  require_file(file_, how);
  reporting("open", file_, [&] {
    connect(how);
    if (how == access::read && is_ready_to_be_read()) return;
    if (how == access::read) connect(access::write);
    make_ready_to_be_written();
    if (how == access::read) connect(access::read);
  });
}

void store::database::connect(access how) {
  wait_.reset();
  handle_.reset();
  const bool writes = how == access::write;
  try {
    handle_.emplace(file_.c_str(), writes ? SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE : SQLite::OPEN_READONLY);
  } catch (const SQLite::Exception&) {
    say_why_not(file_, how);
    throw;
  }
  wait_.emplace(*handle_);
  // SQLite reads where it may not write, and only says so.
  if (writes && sqlite3_db_readonly(handle_->getHandle(), "main") != 0) {
    say_why_not(file_, how);
    throw store_error(SQLITE_READONLY, "open", file_);
  }
}

// False where somebody who may write must first finish what was begun: take back what a killed process was writing,
// make the tables, or bring those of an older freshet up to date.
bool store::database::is_ready_to_be_read() {
  try {
    return age_of(*handle_, file_, current_schema()) == schema_age::current;
  } catch (const SQLite::Exception& reported) {
    if (reported.getExtendedErrorCode() != SQLITE_READONLY_ROLLBACK) throw;
    return false;
  }
}

void store::database::make_ready_to_be_written() {
  const schema_age age = age_of(*handle_, file_, current_schema());
  // Whoever writes to a damaged store damages more of it.
  if (handle_->execAndGet("PRAGMA quick_check(1)").getString() != "ok")
    throw store_error(SQLITE_CORRUPT, "open", file_);
  handle_->exec("PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
  if (age != schema_age::current) bring_up_to_date(*handle_, file_, current_schema());
}

std::int64_t store::database::environment_id(const environment& here) {
  static const std::string list = environment_columns();
  // Without a change, RETURNING would have no row where it is there already.
  SQLite::Statement insert{
      *handle_, fmt::format("INSERT INTO environments ({}) VALUES ({}) ON CONFLICT DO UPDATE SET machine = machine "
                            "RETURNING id",
                            list, placeholders(list))};
  each_setting(here, parameters{insert});
  insert.executeStep();
  const std::int64_t id = insert.getColumn(0);
  insert.executeStep();
  return id;
}

void store::database::insert(record& made) {
  static const std::string list = trial_columns();
  if (!insert_trial_)
    insert_trial_.emplace(*handle_, fmt::format("INSERT INTO trials ({}) VALUES ({})", list, placeholders(list)));
  insert_trial_->tryReset();
  const parameters values{*insert_trial_};
  each_trial_column(std::as_const(made), values, values);
  insert_trial_->exec();
  made.id = handle_->getLastInsertRowid();
}

record store::database::trial_of(SQLite::Statement& row) const {
  record made;
  const row_reader read{row};
  try {
    read("id", made.id);
    each_trial_column(made, read, read);
  } catch (const SQLite::Exception&) {
    throw;
  } catch (const std::exception& nonsense) {
    throw error{std::make_error_code(std::errc::illegal_byte_sequence), "read", file_, error::no_offset,
                fmt::format("trial {} makes no sense: {}", made.id, nonsense.what())};
  }
  return made;
}

fs::path default_store() {
  // The XDG base directory specification: relative paths are invalid and to be ignored.
  const fs::path state = detail::os::secure_environment("XDG_STATE_HOME").value_or("");
  if (state.is_absolute()) return state / "freshet" / "trials.sqlite";
  const fs::path home = detail::os::secure_environment("HOME").value_or("");
  if (home.is_absolute()) return home / ".local" / "state" / "freshet" / "trials.sqlite";
  return {};
}

store::store(const fs::path& path, access how) : database_{std::make_unique<database>(path, how)} {}
store::store(store&&) noexcept = default;
store& store::operator=(store&&) noexcept = default;
store::~store() = default;

std::int64_t store::begin(const run& begun) {
  static const std::string list = run_columns() + ", environment";
  return database_->work("write to", [&](SQLite::Database& there) {
    SQLite::Transaction both{there, SQLite::TransactionBehavior::IMMEDIATE};
    const std::int64_t place = database_->environment_id(begun.env);
    SQLite::Statement insert{there, fmt::format("INSERT INTO runs ({}) VALUES ({})", list, placeholders(list))};
    const parameters values{insert};
    each_run_column(begun, values);
    values("environment", place);
    insert.exec();
    const std::int64_t id = there.getLastInsertRowid();
    both.commit();
    return id;
  });
}

void store::end(std::int64_t run) {
  database_->work("write to", [&](SQLite::Database& there) {
    SQLite::Statement update{there, "UPDATE runs SET ended = ? WHERE id = ?"};
    update.bind(1, utc_now());
    update.bind(2, run);
    update.exec();
  });
}

void store::add(record& made) {
  database_->work("write to", [&](SQLite::Database& /*there*/) { database_->insert(made); });
}

std::vector<run> store::runs(const selection& which) const {
  static const std::string list = fmt::format("runs.id, {}, {}", run_columns(), environment_columns());
  return database_->work("read", [&](SQLite::Database& there) {
    const condition wanted{which};
    SQLite::Statement rows{
        there, fmt::format("SELECT {} FROM runs JOIN environments ON environments.id = environment WHERE {} "
                           "ORDER BY runs.id",
                           list, wanted.of_runs())};
    wanted.bind(rows);
    std::vector<run> found;
    while (rows.executeStep()) {
      run& next = found.emplace_back();
      const row_reader read{rows};
      read("id", next.id);
      each_run_column(next, read);
      each_setting(next.env, read);
    }
    return found;
  });
}

void store::each(const selection& which, const std::function<void(record&&)>& take) const {
  static const std::string list = "id, " + trial_columns();
  const condition wanted{which};
  auto rows = database_->work("read", [&](SQLite::Database& there) {
    SQLite::Statement query{there, fmt::format("SELECT {} FROM trials WHERE {} ORDER BY id", list, wanted.of_trials())};
    wanted.bind(query);
    return query;
  });
  const auto next = [&]() -> std::optional<record> {
    if (!rows.executeStep()) return {};
    return database_->trial_of(rows);
  };
  // What `take` throws is not the store's.
  while (auto found = database_->work("read", [&](SQLite::Database& /*there*/) { return next(); }))
    take(std::move(*found));
}

std::vector<record> store::records(const selection& which) const {
  std::vector<record> all;
  each(which, [&](record&& next) { all.push_back(std::move(next)); });
  return all;
}

}  // namespace freshet::tool
