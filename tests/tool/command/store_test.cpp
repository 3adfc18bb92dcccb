// Trials that the commands keep, and what a command does if its store cannot be used.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>

#include "tests/support/mounted_image.hpp"
#include "tests/support/ordinary_user.hpp"
#include "tests/tool/command/measuring_command.hpp"
#include "tool/export/exports.hpp"
#include "tool/store/store.hpp"

namespace freshet {
namespace {

namespace fs = std::filesystem;
using test::content_of;
using test::ended;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using tool::record;
using tool::store;

class keeping_command : public test::measuring_command {
 protected:
  ended run(std::vector<std::string> words) const { return freshet_.run(std::move(words)); }
  // The words of a bench of very small files.
  std::vector<std::string> bench(const std::string& rounds, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"bench", directory(),  "--method", "buffered", "--size",
                                   "64K",   "--workload", "blocks",   "--rounds", rounds};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  fs::path usual_store() const { return freshet_.state_home() / "freshet/trials.sqlite"; }

  // Expects that a bench succeeds, and reports at its start and at its end why it kept nothing.
  void expect_measured_but_not_kept(const fs::path& file, const std::string& reason) const {
    const ended done = run(bench("2", {"--store", file}));
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_THAT(done.out, Not(IsEmpty()));
    EXPECT_THAT(done.err, StartsWith("freshet bench: trials are not kept"));
    EXPECT_THAT(done.err, AllOf(HasSubstr(file.string()), HasSubstr(reason)));
    EXPECT_THAT(done.err, HasSubstr("freshet bench: 2 of 2 trials were not kept"));
  }
};

TEST_F(keeping_command, keeps_each_trial_of_a_bench) {
  const ended done = run(bench("3", {"--json", "-"}));
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.err, "");
  const store kept{usual_store()};
  const tool::run about = kept.runs().at(0);
  EXPECT_EQ(about.command, "bench");
  EXPECT_THAT(about.words, StartsWith("freshet bench " + directory() + " --method buffered"));
  EXPECT_NE(about.ended, "");
  const auto json = nlohmann::json::parse(done.out);
  EXPECT_EQ(nlohmann::json(about.env), json.at("environment"));
  EXPECT_NE(about.env.build, "");
  nlohmann::json trials = nlohmann::json::array();
  kept.each({}, [&](record&& each) {
    EXPECT_EQ(each.run, about.id);
    EXPECT_EQ(each.workload, "blocks");
    EXPECT_EQ(each.method, "buffered");
    EXPECT_EQ(each.plan, json.at("trials").at(0).at("plan"));
    trials.push_back(each.figures);
  });
  EXPECT_EQ(trials, json.at("trials"));
}

TEST_F(keeping_command, names_a_directory_alike_however_it_was_given) {
  const fs::path before = fs::current_path();
  fs::current_path(directory());
  const std::string directory = fs::current_path();
  for (const std::string& given : {std::string{"."}, std::string{"./"}, directory + "/.", directory}) {
    std::vector<std::string> words = bench("1");
    words[1] = given;
    EXPECT_EQ(run(words).exit_code, 0);
  }
  fs::current_path(before);
  const std::vector<tool::run> runs = store{usual_store()}.runs();
  EXPECT_EQ(runs.size(), 4U);
  for (const tool::run& each : runs) EXPECT_EQ(each.env.directory, directory);
}

TEST_F(keeping_command, keeps_all_trials_of_tune_including_warm_ups) {
  const fs::path json = file("tune.json");
  const ended done = run({"tune", directory(), "--dry-run", "--size", "1M", "--max-bytes", "24M", "--durability",
                          "none,warm", "--workload", "blocks", "--json", json});
  std::size_t warm_ups = 0;
  std::size_t trials = 0;
  store{usual_store()}.each({}, [&](const record& each) {
    ++trials;
    warm_ups += each.extra.contains("warm_up");
  });
  std::ifstream in{json};
  const auto figures = nlohmann::json::parse(in);
  EXPECT_EQ(warm_ups, figures.at("warm_up").size()) << done.err;
  EXPECT_GT(warm_ups, 0U);
  EXPECT_GT(trials, warm_ups);
}

TEST_F(keeping_command, keeps_trials_of_every_kind) {
  if (const auto missing = test::describe_missing({"bytes", "corpus", "encrypt", "sweep"}); !missing.empty())
    GTEST_SKIP() << missing;
  const fs::path kept_in = file("all.sqlite");
  const auto call = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--store", kept_in});
    const ended done = run(words);
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_EQ(done.err, "");
  };
  call({"text", file("text"), "--size", "100K"});
  call({"bytes", file("bytes"), "--size", "64K", "--ways", "fwrite,fread", "--rounds", "1"});
  ASSERT_EQ(run({"corpus", file("in"), "--files", "3", "--lines", "10", "--chars", "20"}).exit_code, 0);
  call({"encrypt", file("in"), file("out"), "--strategy", "pipelined", "--threads", "2"});
  const test::temporary_directory undisturbed{test::undisturbed_place()};
  call({"sweep", undisturbed.path(), "--corpora", "small-files", "--strategies", "streaming", "--work", "0",
        "--threads", "1", "--scale", "0.001", "--rounds", "1"});
  const store kept{kept_in};
  std::vector<std::string> seen;
  kept.each({}, [&](const record& each) {
    seen.push_back(each.workload + ": " + each.method);
    EXPECT_GT(each.figures.bytes, 0U) << each.label;
    EXPECT_GT(each.figures.seconds_to_close, 0) << each.label;
    EXPECT_NE(each.figures.started, "") << each.label;
    EXPECT_TRUE(each.plan.is_object()) << each.label;
  });
  ASSERT_EQ(seen.size(), 7U);  // each way to write bytes with its own buffer and with another
  EXPECT_THAT(seen[0], StartsWith("text: "));
  EXPECT_EQ(std::set(seen.begin() + 1, seen.begin() + 5), (std::set<std::string>{"bytes: fread", "bytes: fwrite"}));
  EXPECT_EQ(seen[5], "lines: pipelined");
  EXPECT_EQ(seen[6], "lines: streaming");
  EXPECT_EQ(kept.runs().size(), 4U);
  EXPECT_FALSE(fs::exists(usual_store()));
}

TEST_F(keeping_command, keeps_nothing_unasked) {
  EXPECT_EQ(run(bench("1", {"--no-store"})).exit_code, 0);
  EXPECT_FALSE(fs::exists(usual_store()));
  EXPECT_EQ(run(bench("1", {"--no-store", "--store", file("a")})).exit_code, 2);
  EXPECT_EQ(run({"bench", file("none"), "--size", "64K"}).exit_code, 1);
  EXPECT_FALSE(fs::exists(usual_store())) << "there was no trial";
}

TEST_F(keeping_command, writes_for_other_tools) {
  const fs::path csv = file("trials.csv");
  const ended done = run(bench("2", {"--export", "csv", csv, "--export", "markdown", "-"}));
  EXPECT_EQ(done.exit_code, 0) << done.err;
  const store kept{usual_store()};
  const tool::run about = kept.runs().at(0);
  EXPECT_EQ(content_of(csv), tool::format_export("csv", about, kept.records()));
  EXPECT_EQ(done.out, tool::format_export("markdown", about, kept.records())) << "and nothing else";
  const ended wrong = run(bench("1", {"--export", "xls", csv}));
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, AllOf(HasSubstr("xls"), HasSubstr("hyperfine"), HasSubstr("markdown")));
  EXPECT_EQ(run(bench("1", {"--export", "csv"})).exit_code, 2);
  const ended lost = run(bench("1", {"--export", "csv", file("none/trials.csv")}));
  EXPECT_EQ(lost.exit_code, 1);
  EXPECT_THAT(lost.err, HasSubstr("No such file or directory"));
}

TEST_F(keeping_command, goes_on_where_the_store_may_not_be_written) {
  const fs::path kept_in = file("trials.sqlite");
  ASSERT_EQ(run(bench("1", {"--store", kept_in})).exit_code, 0);
  fs::permissions(kept_in, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
  fs::permissions(directory(), fs::perms::all);
  const test::ordinary_user user;
  const test::freshet_command his;
  const ended done = his.run(bench("1", {"--store", kept_in}));
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, AllOf(HasSubstr("not kept"), HasSubstr("Permission denied"), HasSubstr(kept_in.string())));
}

TEST_F(keeping_command, goes_on_where_the_store_cannot_be_created) {
  std::ofstream{file("file")} << "in the way";
  expect_measured_but_not_kept(file("file/trials.sqlite"), "Not a directory");
}

TEST_F(keeping_command, goes_on_and_leaves_a_damaged_store_as_it_is) {
  const fs::path kept_in = file("trials.sqlite");
  ASSERT_EQ(run(bench("1", {"--store", kept_in})).exit_code, 0);
  std::string damaged = content_of(kept_in);
  damaged.resize(damaged.size() - 4096);
  std::ofstream{kept_in, std::ios::binary} << damaged;
  expect_measured_but_not_kept(kept_in, "damaged");
  EXPECT_TRUE(content_of(kept_in) == damaged);
}

TEST_F(keeping_command, goes_on_beside_a_newer_store) {
  const fs::path kept_in = file("trials.sqlite");
  ASSERT_EQ(run(bench("1", {"--store", kept_in})).exit_code, 0);
  SQLite::Database{kept_in.c_str(), SQLite::OPEN_READWRITE}.exec("PRAGMA user_version = 99");
  expect_measured_but_not_kept(kept_in, "a newer freshet made this store");
}

// Takes the 10 s for which a store is waited for.
TEST_F(keeping_command, goes_on_when_another_process_locks_the_store) {
  const fs::path kept_in = file("trials.sqlite");
  ASSERT_EQ(run(bench("1", {"--store", kept_in})).exit_code, 0);
  SQLite::Database other{kept_in.c_str(), SQLite::OPEN_READWRITE};
  const SQLite::Transaction all{other, SQLite::TransactionBehavior::EXCLUSIVE};
  expect_measured_but_not_kept(kept_in, "another process");
}

TEST_F(keeping_command, goes_on_when_the_disk_is_full) {
  const test::mounted_image small{directory(), "tmpfs", 256 << 10};
  if (!small.why_not().empty()) GTEST_SKIP() << small.why_not();
  const fs::path kept_in = small.path() / "trials.sqlite";
  ASSERT_EQ(run(bench("1", {"--store", kept_in})).exit_code, 0);
  std::ofstream{small.path() / "rest", std::ios::binary} << std::string(256 << 10, 'x');
  expect_measured_but_not_kept(kept_in, "full");
  EXPECT_EQ(store{kept_in}.records().size(), 1U);
}

TEST_F(keeping_command, that_is_killed_keeps_what_it_measured) {
  for (const int signal : {SIGKILL, SIGINT}) {
    const fs::path kept_in = file(std::to_string(signal) + ".sqlite");
    const pid_t process = freshet_.start(bench("10000", {"--store", kept_in}));
    std::size_t kept = 0;
    for (int tries = 0; kept < 2 && tries < 3000; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
      if (fs::exists(kept_in) && fs::file_size(kept_in) > 0) kept = store{kept_in}.records().size();
    }
    ::kill(process, signal);
    EXPECT_NE(freshet_.wait_for(process).exit_code, 0);
    const store left{kept_in};
    EXPECT_GE(left.records().size(), kept);
    EXPECT_GE(kept, 2U);
    EXPECT_EQ(left.runs().at(0).ended, "");
  }
}

TEST_F(keeping_command, shares_a_store_with_another) {
  const fs::path kept_in = file("trials.sqlite");
  const test::freshet_command other;
  const test::temporary_directory elsewhere;
  const pid_t second = other.start(
      {"bench", elsewhere.path(), "--method", "stdio", "--size", "64K", "--rounds", "5", "--store", kept_in});
  const ended first = run(bench("5", {"--store", kept_in}));
  const ended done = other.wait_for(second);
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(store{kept_in}.records().size(), 10U);
}

// As of two machines: one page, one list, and never one ranking.
TEST_F(keeping_command, has_its_store_read_together_with_others) {
  const std::string laptop = file("laptop.sqlite");
  const std::string server = file("server.sqlite");
  ASSERT_EQ(run(bench("6", {"--store", laptop})).exit_code, 0);
  ASSERT_EQ(run(bench("6", {"--store", server})).exit_code, 0);
  const nlohmann::json runs = json_of({"history", "--store", laptop, "--store", server}).at("runs");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].at("store"), "laptop");
  EXPECT_EQ(runs[1].at("store"), "server");
  const nlohmann::json one = json_of({"history", "--store", laptop, "--store", server, "--run", "2"});
  EXPECT_EQ(one.at("runs").at(0).at("store"), "server");
  EXPECT_EQ(run({"compare", "--store", laptop, "--store", server, "laptop", "server"}).exit_code, 0);
  EXPECT_EQ(run({"report", "--store", laptop, "--store", server, "--out", file("page.html")}).exit_code, 0);
  const ended twice = run({"history", "--store", laptop, "--store", laptop});
  EXPECT_EQ(twice.exit_code, 1);
  EXPECT_THAT(twice.err, HasSubstr("this store is named twice"));
}

}  // namespace
}  // namespace freshet
