// How the tables of one version become those of the next.
#include "tool/store/schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

#include <freshet/error.hpp>

#include "tests/support/temporary_directory.hpp"
#include "tool/store/store.hpp"

namespace freshet {
namespace {

using tool::schema_age;
using tool::store_schema;

const store_schema first{.tables = "CREATE TABLE trials (bytes INTEGER)", .steps = {}};
const store_schema third{.tables = "CREATE TABLE trials (bytes INTEGER, lines INTEGER, words INTEGER)",
                         .steps = {"ALTER TABLE trials ADD COLUMN lines INTEGER; UPDATE trials SET lines = bytes / 10",
                                   "ALTER TABLE trials ADD COLUMN words INTEGER; UPDATE trials SET words = lines * 2"}};

class schemas : public testing::Test {
 protected:
  SQLite::Database open() const { return {file_.c_str(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE}; }
  static int number(SQLite::Database& database, const char* query) { return database.execAndGet(query).getInt(); }

  test::temporary_directory directory_;
  std::filesystem::path file_ = directory_ / "store";
};

TEST_F(schemas, are_brought_up_to_date_step_by_step) {
  SQLite::Database database = open();
  EXPECT_EQ(read_schema_age(database, file_, first), schema_age::none);
  migrate(database, file_, first);
  EXPECT_EQ(read_schema_age(database, file_, first), schema_age::current);
  database.exec("INSERT INTO trials VALUES (70)");
  EXPECT_EQ(read_schema_age(database, file_, third), schema_age::older);
  migrate(database, file_, third);
  EXPECT_EQ(read_schema_age(database, file_, third), schema_age::current);
  EXPECT_EQ(number(database, "PRAGMA user_version"), 3);
  EXPECT_EQ(number(database, "SELECT words FROM trials"), 14);
  migrate(database, file_, third);
  EXPECT_EQ(number(database, "SELECT words FROM trials"), 14);
  EXPECT_THROW((void)read_schema_age(database, file_, first), error);
  EXPECT_THROW(migrate(database, file_, first), error);
}

TEST_F(schemas, are_made_new_without_steps) {
  SQLite::Database database = open();
  migrate(database, file_, third);
  EXPECT_EQ(number(database, "SELECT count(*) FROM pragma_table_info('trials')"), 3);
  EXPECT_EQ(number(database, "PRAGMA user_version"), 3);
}

TEST_F(schemas, stay_as_they_are_where_a_step_fails) {
  SQLite::Database database = open();
  migrate(database, file_, first);
  store_schema broken = third;
  broken.steps[1] = "ALTER TABLE nothing ADD COLUMN words INTEGER";
  EXPECT_THROW(migrate(database, file_, broken), SQLite::Exception);
  EXPECT_EQ(number(database, "PRAGMA user_version"), 1);
  EXPECT_EQ(number(database, "SELECT count(*) FROM pragma_table_info('trials')"), 1);
}

TEST_F(schemas, are_made_once_where_several_begin) {
  std::vector<std::jthread> all;
  for (int i = 0; i < 4; ++i) all.emplace_back([this] { const tool::store one{file_, tool::store::access::write}; });
  all.clear();
  EXPECT_TRUE(tool::store{file_}.records().empty());
}

// Users have stores of version 1, so the columns may change only by a new step in current_schema(). When a step is
// added, enter the new columns and the new version here.
TEST(the_current_schema, is_the_one_that_its_version_had) {
  EXPECT_EQ(tool::current_schema().version(), 11);
  test::temporary_directory directory;
  const auto file = directory / "store";
  const tool::store created{file, tool::store::access::write};
  SQLite::Database database{file.c_str()};
  const auto columns_of = [&](const std::string& table) {
    std::string columns;
    for (SQLite::Statement rows{database, "SELECT name FROM pragma_table_info('" + table + "')"}; rows.executeStep();)
      columns += rows.getColumn(0).getString() + " ";
    return columns;
  };
  EXPECT_EQ(columns_of("campaign_attempts"),
            "id step number state started ended boot cold evidence exit_code seconds output joined ");
  EXPECT_EQ(
      columns_of("trials"),
      "id run workload compared label plan more plan_method plan_block plan_depth plan_reserve plan_ordered "
      "plan_size_ahead plan_class plan_workload plan_target plan_memory plan_size plan_jobs plan_seed plan_volume "
      "plan_access plan_caching plan_prior "
      "round position method started bytes lines seconds_to_close seconds_to_disk cpu_process cpu_whole cpu_stolen "
      "heat_events cooling_steps quota_seconds suspended_seconds write_calls faults_minor faults_major "
      "switches_voluntary switches_involuntary device_writes device_merges device_bytes device_reads "
      "device_bytes_read extents generator_ceiling started_quiet bytes_compared bytes_written bytes_cached "
      "peak_memory block_latency over_time written_by_others verdict reasons first_touch cpu_waited screening "
      "met_slow_memory page_cache cold_read cpu_user ");
}

}  // namespace
}  // namespace freshet
