#include "lab/campaign/journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include <freshet/error.hpp>

#include "tool/base/child.hpp"
#include "tool/base/clock.hpp"
#include "tool/base/json_output.hpp"
#include "tool/store/columns.hpp"
#include "tool/store/database.hpp"

namespace freshet::tool {
namespace {

constexpr const char* campaign_columns =
    "id, name, plan, directory, environment, mount, seed, unit, started, ended, state, why, last_boot, boots";

constexpr const char* forget_boots_of = "UPDATE campaigns SET boots = 0 WHERE id = ?";

campaign_state state_from(const std::string& name) {
  if (const auto known = from_name<campaign_state>(name)) return *known;
  throw std::invalid_argument{"unknown state of a campaign: " + name};
}

// Reads the row's columns from the first to the last.
template <typename... Values>
void read_row(SQLite::Statement& row, Values&... values) {
  const row_reader read{row};
  (read({}, values), ...);
}

campaign read_campaign(SQLite::Statement& row) {
  campaign read;
  std::string directory;
  std::string state;
  read_row(row, read.id, read.name, read.plan, directory, read.environment, read.mount, read.seed, read.unit,
           read.started, read.ended, state, read.why, read.last_boot, read.boots);
  read.directory = directory;
  read.state = state_from(state);
  return read;
}

journaled_step read_journaled_step(SQLite::Statement& row) {
  journaled_step step;
  nlohmann::json words;
  read_row(row, step.id, step.position, step.planned.name, step.planned.cell, step.planned.repetition, words);
  step.planned.for_shell = words.is_string();
  step.planned.words =
      words.is_string() ? std::vector{words.get<std::string>()} : words.get<std::vector<std::string>>();
  return step;
}

step_attempt read_attempt(SQLite::Statement& row) {
  step_attempt attempt;
  read_row(row, attempt.id, attempt.number, attempt.state, attempt.started, attempt.ended, attempt.boot, attempt.cold,
           attempt.evidence, attempt.exit_code, attempt.seconds, attempt.output);
  return attempt;
}

// Runs one statement with these parameters. Returns how many rows it changed.
template <typename... Values>
int change(SQLite::Database& handle, const std::string& sql, const Values&... values) {
  SQLite::Statement statement{handle, sql};
  const parameters bind{statement};
  (bind({}, values), ...);
  return statement.exec();
}

// The first run of a step like this one that the trials of the run ?1 of the attempt ?2 may join.
constexpr const char* find_run_to_join = R"(
SELECT runs.id FROM runs
JOIN campaign_attempts tries ON tries.id = runs.attempt AND tries.state = 'finished' AND tries.exit_code = 0
JOIN campaign_steps steps ON steps.id = tries.step
JOIN environments places ON places.id = runs.environment
JOIN campaign_attempts own ON own.id = ?2
JOIN campaign_steps own_step ON own_step.id = own.step
JOIN runs joining ON joining.id = ?1
JOIN environments own_place ON own_place.id = joining.environment
WHERE runs.id < joining.id AND runs.command <> 'tune' AND steps.campaign = own_step.campaign AND steps.name = own_step.name
  AND steps.words LIKE '[%' AND runs.command = joining.command AND places.directory = own_place.directory
  AND (SELECT max(plan_size * (workload <> 'lines')) FROM trials WHERE run = runs.id)
    IS (SELECT max(plan_size * (workload <> 'lines')) FROM trials WHERE run = joining.id)
ORDER BY runs.id LIMIT 1)";

// Each repetition has rounds of its own.
constexpr const char* move_trials = R"(
UPDATE trials SET run = ?1, round = round + (SELECT (steps.repetition - 1) * (1 + max(others.round))
  FROM trials others, campaign_steps steps JOIN campaign_attempts tries ON tries.step = steps.id
  WHERE others.run = ?2 AND tries.id = ?3)
WHERE run = ?2)";

void join_runs(SQLite::Database& handle, std::int64_t attempt, const std::string& words) {
  std::vector<std::int64_t> own;
  SQLite::Statement runs{handle, "SELECT id FROM runs WHERE attempt = ? ORDER BY id"};
  runs.bind(1, attempt);
  while (runs.executeStep()) own.push_back(runs.getColumn(0).getInt64());
  for (const std::int64_t run : own) {
    SQLite::Statement first{handle, find_run_to_join};
    first.bind(1, run);
    first.bind(2, attempt);
    if (!first.executeStep()) continue;
    const std::int64_t joined = first.getColumn(0).getInt64();
    change(handle, move_trials, joined, run, attempt);
    change(handle, "UPDATE runs SET ended = (SELECT ended FROM runs WHERE id = ?1), words = ?2 WHERE id = ?3", run,
           words, joined);
    change(handle, "UPDATE campaign_attempts SET joined = ? WHERE id = ?", joined, attempt);
    change(handle, "DELETE FROM runs WHERE id = ?", run);
  }
}

}  // namespace

std::string reason_of(const attempt_result& ended) {
  const std::string line = ended.exit_code == 0 ? "" : last_lines(ended.output, 1);
  return line.empty() ? "" : ": " + line;
}

const step_attempt* journaled_step::result() const {
  const auto finished = std::ranges::find(attempts, "finished", &step_attempt::state);
  return finished == attempts.end() ? nullptr : &*finished;
}

class journal::database : public open_database {
 public:
  using open_database::open_database;

  /// Does `work` in one transaction, which waits for other processes at its beginning, not in its middle.
  template <typename Work>
  decltype(auto) write(Work&& work_in) {
    return work("write to", [&](SQLite::Database& handle) {
      SQLite::Transaction all{handle, SQLite::TransactionBehavior::IMMEDIATE};
      if constexpr (std::is_void_v<decltype(work_in(handle))>) {
        work_in(handle);
        all.commit();
      } else {
        auto result = work_in(handle);
        all.commit();
        return result;
      }
    });
  }
  /// Reads; text that is no such value is reported as the store's fault.
  template <typename Read>
  auto read(Read&& read_from) {
    try {
      return work("read", std::forward<Read>(read_from));
    } catch (const nlohmann::json::exception& malformed) {
      throw corrupt(malformed);
    } catch (const std::logic_error& malformed) {
      throw corrupt(malformed);
    }
  }

 private:
  [[nodiscard]] error corrupt(const std::exception& malformed) const {
    return {std::make_error_code(std::errc::illegal_byte_sequence), "read", file(), error::no_offset,
            fmt::format("the journal of campaigns is corrupt: {}", malformed.what())};
  }
};

journal::journal(const std::filesystem::path& store, access how)
    : database_{std::make_unique<database>(store, how == access::write ? store::access::write : store::access::read)} {}
journal::~journal() = default;

const std::filesystem::path& journal::file() const noexcept { return database_->file(); }

void journal::add(campaign& record, const std::vector<planned_step>& steps) {
  record.id = database_->write([&](SQLite::Database& handle) {
    change(handle,
           fmt::format("INSERT INTO campaigns ({}) VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, '', ?, '', ?, 0)",
                       campaign_columns),
           record.name, record.plan, record.directory.string(), record.environment, record.mount, record.seed,
           record.unit, record.started, record.state, record.last_boot);
    const std::int64_t id = handle.getLastInsertRowid();
    std::int64_t position = 0;
    for (const planned_step& each : steps)
      change(handle,
             "INSERT INTO campaign_steps (campaign, position, name, cell, repetition, words) "
             "VALUES (?, ?, ?, ?, ?, ?)",
             id, ++position, each.name, each.cell, each.repetition,
             each.for_shell ? nlohmann::json(each.words.front()) : nlohmann::json(each.words));
    return id;
  });
}

std::optional<campaign> journal::find(std::optional<std::int64_t> id) const {
  return database_->read([&](SQLite::Database& handle) -> std::optional<campaign> {
    SQLite::Statement row{
        handle, fmt::format("SELECT {} FROM campaigns WHERE id = ? OR ? ORDER BY id DESC LIMIT 1", campaign_columns)};
    row.bind(1, id.value_or(0));
    row.bind(2, id ? 0 : 1);
    if (!row.executeStep()) return {};
    return read_campaign(row);
  });
}

campaign_state journal::state_of(std::int64_t id) const {
  return database_->read([&](SQLite::Database& handle) {
    SQLite::Statement row{handle, "SELECT state FROM campaigns WHERE id = ?"};
    row.bind(1, id);
    return row.executeStep() ? state_from(row.getColumn(0).getString()) : campaign_state::aborted;
  });
}

void journal::set_state(std::int64_t id, campaign_state state, std::string_view why) {
  database_->write([&](SQLite::Database& handle) {
    change(handle,
           "UPDATE campaigns SET state = ?, why = ?, ended = ? WHERE id = ? AND state NOT IN ('done', 'aborted')",
           state, std::string{why}, is_over(state) ? format_utc_now() : std::string{}, id);
  });
}

unsigned journal::count_boot(std::int64_t id) {
  return database_->write([&](SQLite::Database& handle) {
    change(handle, "UPDATE campaigns SET boots = boots + 1 WHERE id = ?", id);
    SQLite::Statement row{handle, "SELECT boots FROM campaigns WHERE id = ?"};
    row.bind(1, id);
    return row.executeStep() ? static_cast<unsigned>(row.getColumn(0).getInt64()) : 0U;
  });
}

void journal::forget_boots(std::int64_t id) {
  database_->write([&](SQLite::Database& handle) { change(handle, forget_boots_of, id); });
}

std::vector<journaled_step> journal::steps(std::int64_t id) const {
  return database_->read([&](SQLite::Database& handle) {
    SQLite::Transaction moment{handle};
    SQLite::Statement rows{handle,
                           "SELECT id, position, name, cell, repetition, words FROM campaign_steps "
                           "WHERE campaign = ? ORDER BY position"};
    rows.bind(1, id);
    std::vector<journaled_step> all;
    while (rows.executeStep()) all.push_back(read_journaled_step(rows));
    SQLite::Statement tries{handle,
                            "SELECT id, number, state, started, ended, boot, cold, evidence, exit_code, seconds, "
                            "output FROM campaign_attempts WHERE step = ? ORDER BY number"};
    SQLite::Statement runs{handle,
                           "SELECT id FROM runs WHERE attempt = ?1 UNION "
                           "SELECT joined FROM campaign_attempts WHERE id = ?1 AND joined <> 0 ORDER BY 1"};
    for (journaled_step& step : all) {
      tries.reset();
      tries.bind(1, step.id);
      while (tries.executeStep()) {
        step_attempt& attempt = step.attempts.emplace_back(read_attempt(tries));
        runs.reset();
        runs.bind(1, attempt.id);
        while (runs.executeStep()) attempt.runs.push_back(runs.getColumn(0).getInt64());
      }
    }
    return all;
  });
}

std::optional<journaled_step> journal::next_step(std::int64_t id) const {
  return database_->read([&](SQLite::Database& handle) -> std::optional<journaled_step> {
    SQLite::Statement row{handle,
                          "SELECT id, position, name, cell, repetition, words FROM campaign_steps steps "
                          "WHERE campaign = ? AND NOT EXISTS (SELECT 1 FROM campaign_attempts "
                          "WHERE step = steps.id AND state = 'finished') ORDER BY position LIMIT 1"};
    row.bind(1, id);
    if (!row.executeStep()) return {};
    return read_journaled_step(row);
  });
}

std::uint64_t journal::mark_cut_off(std::int64_t id) {
  return database_->write([&](SQLite::Database& handle) {
    return static_cast<std::uint64_t>(
        change(handle,
               "UPDATE campaign_attempts SET state = 'cut off' WHERE state = 'running' AND step IN "
               "(SELECT id FROM campaign_steps WHERE campaign = ?)",
               id));
  });
}

std::int64_t journal::begin(std::int64_t id, std::int64_t step, const attempt_start& how) {
  return database_->write([&](SQLite::Database& handle) {
    change(handle,
           "INSERT INTO campaign_attempts (step, number, state, started, ended, boot, cold, evidence, output) VALUES "
           "(?1, 1 + (SELECT count(*) FROM campaign_attempts WHERE step = ?1), 'running', ?2, '', ?3, ?4, ?5, '')",
           step, format_utc_now(), how.boot, how.cold, how.evidence);
    const std::int64_t attempt = handle.getLastInsertRowid();
    change(handle, "UPDATE campaigns SET last_boot = ? WHERE id = ?", how.boot, id);
    return attempt;
  });
}

void journal::finish(std::int64_t id, std::int64_t attempt, const attempt_result& result, const std::string& words) {
  database_->write([&](SQLite::Database& handle) {
    change(handle,
           "UPDATE campaign_attempts SET state = 'finished', ended = ?, exit_code = ?, seconds = ?, output = ? "
           "WHERE id = ? AND state = 'running'",
           format_utc_now(), result.exit_code, result.seconds, result.output, attempt);
    if (result.exit_code == 0 && !words.empty()) join_runs(handle, attempt, words);
    change(handle, forget_boots_of, id);
  });
}

}  // namespace freshet::tool
