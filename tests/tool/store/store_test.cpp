// The store returns what was put into it, whatever else happens to the file.
#include "tool/store/store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <semaphore>
#include <thread>

#include <SQLiteCpp/SQLiteCpp.h>

#include <freshet/error.hpp>

#include "tests/support/file_content.hpp"
#include "tests/support/ordinary_user.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/tool/store/store_sample.hpp"
#include "tool/store/schema.hpp"
#include "tool/trial/trial_figures.hpp"

namespace freshet {
namespace {

namespace fs = std::filesystem;
using test::content_of;
using test::sample_record;
using test::sample_run;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using tool::record;
using tool::run;
using tool::store;
using access = tool::store::access;

class a_store : public testing::Test {
 protected:
  store open(access how = access::write) const { return store{file_, how}; }

  // Keeps a run with so many trials; returns its id.
  std::int64_t fill(unsigned trials, const run& begun = sample_run()) const {
    store kept = open();
    const std::int64_t id = kept.begin(begun);
    for (unsigned i = 0; i < trials; ++i) {
      record trial = sample_record(id, i);
      kept.add(trial);
    }
    kept.end(id);
    return id;
  }

  void write(const std::string& bytes) const { std::ofstream{file_, std::ios::binary} << bytes; }

  std::string failure_of(access how) const {
    try {
      const store kept = open(how);
      const auto read = kept.records();
      return "nothing failed";
    } catch (const error& fault) {
      return fault.what();
    }
  }

  test::temporary_directory directory_;
  fs::path file_ = directory_ / "trials.sqlite";
};

// All members, as JSON. JSON would show NaN and infinities as null, but the samples have none.
nlohmann::json all_of(const record& trial) {
  return {trial.id,   trial.run,   trial.workload, trial.method,           trial.label,
          trial.plan, trial.extra, trial.figures,  trial.figures.plan.seed};
}

TEST_F(a_store, gives_back_every_figure) {
  store kept = open();
  const std::int64_t run_id = kept.begin(sample_run());
  record trial = sample_record(run_id);
  kept.add(trial);
  EXPECT_EQ(trial.id, 1);
  const auto records = store{file_}.records();
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(all_of(records[0]), all_of(trial));
  EXPECT_EQ(records[0].figures.plan, trial.figures.plan);
  EXPECT_EQ(records[0].figures.block_latency, trial.figures.block_latency);
  EXPECT_EQ(records[0].figures.over_time, trial.figures.over_time);
  EXPECT_EQ(records[0].figures.written_by_others, trial.figures.written_by_others);
}

TEST_F(a_store, gives_back_what_is_not_known) {
  store kept = open();
  record trial;
  trial.run = kept.begin(sample_run());
  trial.figures.seconds_to_disk = std::numeric_limits<double>::quiet_NaN();
  trial.figures.cpu_whole = std::numeric_limits<double>::infinity();
  trial.figures.reasons = {"\xff is no UTF-8"};
  kept.add(trial);
  const record read_back = kept.records().at(0);
  EXPECT_FALSE(read_back.figures.device_bytes);
  EXPECT_FALSE(read_back.figures.generator_ceiling);
  EXPECT_TRUE(std::isnan(read_back.figures.seconds_to_disk));
  EXPECT_TRUE(std::isinf(read_back.figures.cpu_whole));
  EXPECT_EQ(read_back.figures.block_latency.calls(), 0U);
  EXPECT_TRUE(read_back.figures.over_time.bytes().empty());
  EXPECT_THAT(read_back.figures.reasons, ElementsAre("\xef\xbf\xbd is no UTF-8"));
}

TEST_F(a_store, gives_back_the_run_and_its_place) {
  store kept = open();
  const run begun = sample_run();
  const std::int64_t id = kept.begin(begun);
  EXPECT_EQ(kept.runs().at(0).ended, "");
  kept.end(id);
  const run read_back = store{file_}.runs().at(0);
  EXPECT_EQ(read_back.id, id);
  EXPECT_EQ(read_back.command, begun.command);
  EXPECT_EQ(read_back.words, begun.words);
  EXPECT_EQ(read_back.started, begun.started);
  EXPECT_NE(read_back.ended, "");
  EXPECT_EQ(nlohmann::json(read_back.env), nlohmann::json(begun.env));
}

// Finds members of a struct that are not in its list: bytes between two listed members are padding or such a member.
class gaps {
 public:
  explicit gaps(const void* whole, std::size_t size) : from_{static_cast<const char*>(whole)}, size_{size} {}
  template <typename Value>
  void operator()(std::string_view /*name*/, const Value& value) const {
    members_[static_cast<std::size_t>(reinterpret_cast<const char*>(&value) - from_)] = sizeof value;
  }
  std::size_t largest() const {
    std::size_t largest = 0;
    std::size_t end = 0;
    for (const auto& [at, size] : members_) {
      largest = std::max(largest, at - end);
      end = at + size;
    }
    return std::max(largest, size_ - end);
  }

 private:
  const char* from_;
  std::size_t size_;
  mutable std::map<std::size_t, std::size_t> members_;
};

TEST(the_lists_of_figures, leave_none_out) {
  const tool::trial_result result;
  const gaps figures{&result, sizeof result};
  figures("plan", result.plan);
  tool::each_figure(result, figures);
  EXPECT_LT(figures.largest(), sizeof(std::uint64_t));
  const gaps options{&result.plan, sizeof result.plan};
  tool::each_option(result.plan, options);
  EXPECT_LT(options.largest(), sizeof(std::uint64_t));
  const tool::environment place;
  const gaps settings{&place, sizeof place};
  tool::each_setting(place, settings);
  tool::each_measured_setting(place, settings);
  EXPECT_LT(settings.largest(), sizeof(std::uint64_t));
}

TEST_F(a_store, keeps_an_environment_once) {
  run other = sample_run();
  other.env.kernel = "6.2";
  run faster = sample_run();
  faster.env.first_touch_fresh = 500;
  fill(1);
  fill(1, faster);
  fill(1, other);
  SQLite::Database seen{file_.c_str()};
  EXPECT_EQ(seen.execAndGet("SELECT count(*) FROM environments").getInt(), 2);
  const auto runs = store{file_}.runs();
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0].env.first_touch_fresh, 400.5);
  EXPECT_EQ(runs[1].env.first_touch_fresh, 500);
  EXPECT_EQ(runs[2].env.kernel, "6.2");
}

std::vector<std::int64_t> ids_of(const std::vector<record>& records) {
  std::vector<std::int64_t> ids;
  for (const record& each : records) ids.push_back(each.id);
  return ids;
}

TEST_F(a_store, selects) {
  store kept = open();
  const std::int64_t first = kept.begin(sample_run("bench", "2026-03-01T10:00:00Z"));
  const std::int64_t second = kept.begin(sample_run("tune", "2026-03-02T10:00:00Z"));
  for (const auto& [id, started] : {std::pair{first, "2026-03-01T10:00:01Z"}, std::pair{second, "2026-03-02T10:00:01Z"},
                                    std::pair{first, "2026-03-02T11:00:00Z"}}) {
    record trial = sample_record(id, 0, started);
    kept.add(trial);
  }
  EXPECT_THAT(ids_of(kept.records()), ElementsAre(1, 2, 3));
  EXPECT_THAT(ids_of(kept.records({.runs = {first}})), ElementsAre(1, 3));
  EXPECT_THAT(ids_of(kept.records({.runs = {first, second}})), ElementsAre(1, 2, 3));
  EXPECT_THAT(ids_of(kept.records({.runs = {99}})), ElementsAre());
  EXPECT_THAT(ids_of(kept.records({.command = "tune"})), ElementsAre(2));
  EXPECT_THAT(ids_of(kept.records({.command = "x' OR TRUE --"})), ElementsAre());
  EXPECT_THAT(ids_of(kept.records({.since = "2026-03-02"})), ElementsAre(2, 3));
  EXPECT_THAT(ids_of(kept.records({.since = "2026-03-02", .before = "2026-03-02T10:30"})), ElementsAre(2));
  EXPECT_THAT(ids_of(kept.records({.runs = {first}, .before = "2026-03-02"})), ElementsAre(1));
  EXPECT_EQ(kept.runs({.since = "2026-03-02"}).size(), 1U);
  EXPECT_EQ(kept.runs({.runs = {second}, .command = "bench"}).size(), 0U);
}

TEST_F(a_store, lets_those_who_take_its_trials_stop) {
  fill(3);
  const store kept{file_};
  struct enough {};
  EXPECT_THROW(kept.each({}, [](record&&) { throw enough{}; }), enough);
  EXPECT_EQ(kept.records().size(), 3U);
}

TEST_F(a_store, is_made_with_its_directory_and_an_empty_file_is_a_new_one) {
  const store below{directory_ / "a/b/trials.sqlite", access::write};
  EXPECT_TRUE(fs::exists(directory_ / "a/b/trials.sqlite"));
  write("");
  fill(1);
  EXPECT_EQ(open(access::read).records().size(), 1U);
}

TEST_F(a_store, is_not_made_of_an_empty_file_by_whoever_reads) {
  write("");
  EXPECT_THROW(open(access::read), error);
  EXPECT_EQ(fs::file_size(file_), 0U);
}

TEST_F(a_store, is_missed_by_whoever_reads) {
  try {
    open(access::read);
    FAIL();
  } catch (const error& fault) {
    EXPECT_EQ(fault.code(), std::errc::no_such_file_or_directory);
    EXPECT_THAT(fault.what(), HasSubstr(file_.string()));
  }
  EXPECT_FALSE(fs::exists(file_));
}

TEST_F(a_store, is_no_directory_pipe_or_other_file) {
  EXPECT_THROW(store(directory_.path(), access::write), error);
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  EXPECT_THAT(failure_of(access::write), HasSubstr("not a regular file"));
  EXPECT_THAT(failure_of(access::read), HasSubstr("not a regular file"));
  fs::remove(file_);
  for (const std::string& text : {std::string{"x"}, std::string{"notes of mine\n"}, std::string(100'000, 'x')}) {
    write(text);
    EXPECT_THAT(failure_of(access::write), HasSubstr("not a freshet store"));
    EXPECT_THAT(failure_of(access::read), HasSubstr("not a freshet store"));
    EXPECT_TRUE(content_of(file_) == text);
  }
}

TEST_F(a_store, is_not_another_programs_database) {
  SQLite::Database{file_.c_str(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE}.exec("CREATE TABLE theirs (it)");
  const std::string before = content_of(file_);
  EXPECT_THAT(failure_of(access::write), HasSubstr("not a freshet store"));
  EXPECT_TRUE(content_of(file_) == before);
}

TEST_F(a_store, of_a_newer_freshet_is_refused) {
  fill(2);
  SQLite::Database{file_.c_str(), SQLite::OPEN_READWRITE}.exec("PRAGMA user_version = 99");
  const std::string before = content_of(file_);
  for (const access how : {access::read, access::write})
    EXPECT_THAT(failure_of(how), AllOf(HasSubstr("newer freshet"), HasSubstr("99"), HasSubstr(file_.string())));
  EXPECT_TRUE(content_of(file_) == before);
}

TEST_F(a_store, that_is_cut_short_is_refused_and_stays_as_it_is) {
  fill(50);
  const std::string whole = content_of(file_);
  for (const std::size_t length :
       {std::size_t{1}, std::size_t{100}, std::size_t{4096}, whole.size() / 2, whole.size() - 4096}) {
    write(whole.substr(0, length));
    EXPECT_THAT(failure_of(access::write), HasSubstr(file_.string())) << length;
    EXPECT_EQ(content_of(file_).size(), length);
  }
}

TEST_F(a_store, with_random_bytes_in_it_is_refused_and_stays_as_it_is) {
  fill(50);
  const std::string whole = content_of(file_);
  constexpr std::size_t page = 4096;
  for (std::size_t at = 0; at < whole.size(); at += page) {
    std::string damaged = whole;
    for (std::size_t i = 0; i < page; ++i) damaged[at + i] = static_cast<char>((i * 2654435761U) >> 11);
    write(damaged);
    EXPECT_THAT(failure_of(access::write), HasSubstr(file_.string())) << at;
    EXPECT_TRUE(content_of(file_) == damaged) << at;
  }
}

TEST_F(a_store, that_holds_nonsense_says_so) {
  fill(1);
  SQLite::Database{file_.c_str(), SQLite::OPEN_READWRITE}.exec("UPDATE trials SET over_time = '{', verdict = 'fine'");
  EXPECT_THAT(failure_of(access::read), AllOf(HasSubstr(file_.string()), HasSubstr("trial 1")));
}

TEST_F(a_store, that_holds_numbers_beyond_all_that_are_kept_says_so) {
  fill(1);
  for (const std::string number : {"4.4e24", "-1.5"}) {
    const std::string change = "UPDATE trials SET over_time = '{\"bytes\":[" + number + "],\"step\":0.1}'";
    SQLite::Database{file_.c_str(), SQLite::OPEN_READWRITE}.exec(change);
    EXPECT_THAT(failure_of(access::read), AllOf(HasSubstr("trial 1"), HasSubstr("a number is out of range")));
  }
}

TEST_F(a_store, that_may_only_be_read_is_read) {
  fill(2);
  fs::permissions(directory_.path(), fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec |
                                         fs::perms::group_read | fs::perms::group_exec);
  fs::permissions(file_, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
  {
    const test::ordinary_user user;
    EXPECT_EQ(open(access::read).records().size(), 2U);
    EXPECT_THAT(failure_of(access::write), HasSubstr("Permission denied"));
  }
  fs::permissions(file_, fs::perms::none);
  const test::ordinary_user user;
  EXPECT_THAT(failure_of(access::read), HasSubstr("Permission denied"));
}

TEST_F(a_store, is_read_while_another_writes) {
  fill(1);
  store writer = open();
  SQLite::Database other{file_.c_str(), SQLite::OPEN_READWRITE};
  SQLite::Transaction half{other, SQLite::TransactionBehavior::IMMEDIATE};
  other.exec("DELETE FROM trials");
  EXPECT_EQ(open(access::read).records().size(), 1U) << "what is not committed is not seen";
}

TEST_F(a_store, takes_the_trials_of_several_at_once) {
  constexpr unsigned each = 40;
  std::vector<std::jthread> writers;
  std::counting_semaphore<8> seen{0};  // so that the reader is not late
  for (int writer = 0; writer < 3; ++writer)
    writers.emplace_back([&] {
      fill(each / 2);
      EXPECT_TRUE(seen.try_acquire_for(std::chrono::seconds{60})) << "nobody sees what was kept";
      seen.release();
      fill(each / 2);
    });
  std::jthread reader{[&, most = std::size_t{0}](const std::stop_token& stop) mutable {
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds{1});  // leaves the store to the writers
      if (!fs::exists(file_)) continue;
      const std::size_t now = open(access::read).records().size();
      EXPECT_GE(now, most);
      if (most == 0 && now > 0) seen.release();
      most = now;
    }
  }};
  writers.clear();
  reader.request_stop();
  reader.join();
  EXPECT_EQ(open(access::read).records().size(), 3 * each);
  EXPECT_EQ(open(access::read).runs().size(), 3U * 2);
}

// Takes the 10 s for which a store is waited for.
TEST_F(a_store, that_another_has_for_itself_is_waited_for_then_given_up) {
  fill(1);
  SQLite::Database other{file_.c_str(), SQLite::OPEN_READWRITE};
  SQLite::Transaction all{other, SQLite::TransactionBehavior::EXCLUSIVE};
  EXPECT_THAT(failure_of(access::read), AllOf(HasSubstr("10 s"), HasSubstr(file_.string())));
}

TEST(default_store, goes_by_the_environment) {
  const auto with = [](const char* state, const char* home) {
    ::setenv("XDG_STATE_HOME", state, 1);
    ::setenv("HOME", home, 1);
    return tool::default_store();
  };
  EXPECT_EQ(with("/state", "/home/me"), "/state/freshet/trials.sqlite");
  EXPECT_EQ(with("", "/home/me"), "/home/me/.local/state/freshet/trials.sqlite");
  EXPECT_EQ(with("state", "/home/me"), "/home/me/.local/state/freshet/trials.sqlite");
  EXPECT_EQ(with("state", "me"), "");
}

}  // namespace
}  // namespace freshet
