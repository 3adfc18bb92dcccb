// `freshet campaign` as a user runs it, its reboots played by a file with the boot's id.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "lab/campaign/report.hpp"
#include "tests/support/file_content.hpp"
#include "tests/tool/command/measuring_command.hpp"

namespace freshet {
namespace {

namespace fs = std::filesystem;
using test::ended;
using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class campaign_command : public test::measuring_command {
 protected:
  campaign_command() {
    fs::create_directories(file("proc/sys/kernel/random"));
    std::ofstream{file("proc/sys/kernel/random/boot_id")} << "first\n";
    fs::create_directories(file("units"));
  }

  void write_plan(const std::string& text) const { std::ofstream{file("plan.toml")} << "format = 1\n" << text; }
  tool::campaign_plan plan() const { return tool::parse_plan(test::content_of(file("plan.toml")), file("plan.toml")); }
  std::vector<std::string> with_store(std::vector<std::string> words) const {
    words.insert(words.begin(), "campaign");
    words.insert(words.end(), {"--store", file("store")});
    return words;
  }
  ended run(std::vector<std::string> words) const { return freshet_.run(with_store(std::move(words))); }
  /// The machine's part: a boot id that the test's "reboot" changes.
  std::vector<std::string> on_machine(std::vector<std::string> words) const {
    const std::string reboot = "echo boot-$$ >" + file("proc/sys/kernel/random/boot_id");
    words.insert(words.end(), {"--unit-dir", file("units"), "--proc-root", file("proc"), "--settle", "1s",
                               "--reboot-command", reboot});
    return words;
  }
  nlohmann::json status() const { return json_of(with_store({"status"})).at("campaign"); }
  fs::path unit() const { return file("units/freshet-campaign.service"); }
  ended run_on_store(std::vector<std::string> words) const {
    words.insert(words.end(), {"--store", file("store")});
    return freshet_.run(std::move(words));
  }
  void kill(pid_t process) const {
    ::kill(process, SIGKILL);
    EXPECT_EQ(freshet_.wait_for(process).exit_code, -SIGKILL);
  }
  /// Waits until a step has made a file in the directory.
  bool appears_below(const std::string& name) const {
    for (int tries = 0; tries < 12000 && fs::is_empty(file(name)); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    return !fs::is_empty(file(name));
  }
  /// Waits until no process holds the lock.
  bool nobody_holds(const std::string& lock) const {
    const int descriptor = ::open(file(lock).c_str(), O_RDWR | O_CLOEXEC);
    int held = ::flock(descriptor, LOCK_EX | LOCK_NB);
    for (int tries = 0; tries < 1000 && held != 0; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
      held = ::flock(descriptor, LOCK_EX | LOCK_NB);
    }
    ::close(descriptor);
    return held == 0;
  }
  /// Waits until a step has made the file `name`.
  bool appears(const std::string& name) const {
    for (int tries = 0; tries < 12000 && !fs::exists(file(name)); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    return fs::exists(file(name));
  }
};

TEST_F(campaign_command, works_through_a_plan_and_shows_what_came_out) {
  fs::create_directory(file("d"));
  write_plan(
      "order = 'listed'\n[matrix]\nword = ['one', \"it's two\"]\n[[step]]\nname = 'say'\ncommand = 'echo {word}'\n"
      "[[step]]\nname = 'measure'\nfreshet = ['bench', 'd', '--size', '64K', '--method', 'buffered', '--rounds', "
      "'1']\n");
  const ended done = run({file("plan.toml")});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, IsEmpty());
  EXPECT_THAT(done.out, ContainsRegex("^step 1: say, word one \\(repetition 1\\): done after [0-9.]+ s\nstep 2: "));
  const nlohmann::json shown = status();
  EXPECT_EQ(shown.at("state"), "done");
  EXPECT_EQ(shown.at("done"), 3);
  EXPECT_EQ(shown.at("steps").at(1).at("attempts").at(0).at("output"), "it's two\n");
  EXPECT_EQ(shown.at("steps").at(2).at("attempts").at(0).at("runs"), (nlohmann::json{1}));
  EXPECT_THAT(run({"status", "--step", "1"}).out, EndsWith("\noutput:\none\n"));
  EXPECT_EQ(json_of({"history", "--store", file("store")}).at("runs").at(0).at("command"), "bench");
}

TEST_F(campaign_command, fails_where_a_step_failed) {
  write_plan("[[step]]\ncommand = 'echo why >&2; exit 3'\n");
  const ended done = run({file("plan.toml")});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("1 of 1 step failed"));
  EXPECT_THAT(done.out, ContainsRegex("step 1: .*: exit code 3 after .* s: why\n"));
  const nlohmann::json attempt = status().at("steps").at(0).at("attempts").at(0);
  EXPECT_EQ(attempt.at("exit_code"), 3);
  EXPECT_EQ(attempt.at("output"), "why\n");
}

TEST_F(campaign_command, kills_a_step_at_its_time_limit) {
  write_plan("time_limit = '1s'\n[[step]]\ncommand = 'echo began; sleep 600'\n");
  EXPECT_EQ(run({file("plan.toml")}).exit_code, 1);
  const nlohmann::json attempt = status().at("steps").at(0).at("attempts").at(0);
  EXPECT_EQ(attempt.at("exit_code"), 124);
  EXPECT_THAT(attempt.at("output").get<std::string>(), StartsWith("began\ndid not end within 1 s"));
}

TEST_F(campaign_command, shows_the_order_without_starting) {
  write_plan("[[step]]\ncommand = 'touch started'\n");
  const ended shown = run({"start", file("plan.toml"), "--dry-run"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_EQ(shown.out, tool::format_plan(tool::list_steps(plan(), 1), {}));
  EXPECT_FALSE(fs::exists(file("started")));
  EXPECT_FALSE(fs::exists(file("store")));
}

TEST_F(campaign_command, refuses_what_makes_no_sense) {
  write_plan("[[step]]\ncommand = 'true'\n");
  EXPECT_EQ(freshet_.run({"campaign"}).exit_code, 2);
  EXPECT_EQ(run({"start"}).exit_code, 2);
  EXPECT_EQ(run({"start", file("plan.toml"), "--dry-run", "--json", "-"}).exit_code, 2) << "nothing would be written";
  EXPECT_EQ(run({"status", file("plan.toml")}).exit_code, 2);
  EXPECT_EQ(run({"frobnicate", file("plan.toml")}).exit_code, 2);
  EXPECT_EQ(run({file("missing.toml")}).exit_code, 1);
  for (const char* const action : {"status", "pause", "resume", "abort"})
    EXPECT_THAT(run({action}).err, HasSubstr("No such file or directory")) << action;
  EXPECT_FALSE(fs::exists(file("store")));
  EXPECT_EQ(run({file("plan.toml")}).exit_code, 0);
  EXPECT_EQ(run({"status", "--step", "2"}).exit_code, 2);
  EXPECT_EQ(run({"status", "--id", "2"}).exit_code, 1);
  EXPECT_EQ(run({"pause"}).exit_code, 1) << "it is over";
  EXPECT_EQ(run({"resume"}).exit_code, 1);
  EXPECT_EQ(run({"abort"}).exit_code, 1);
  write_plan("unknown = 1\n[[step]]\ncommand = 'true'\n");
  const ended refused = run({file("plan.toml")});
  EXPECT_THAT(refused.err, HasSubstr("line 2: unknown key 'unknown'"));
  EXPECT_EQ(refused.exit_code, 2);
}

TEST_F(campaign_command, refuses_a_step_that_freshet_would_refuse) {
  write_plan("[[step]]\nfreshet = ['bench', '.', '--frobnicate', '3']\n");
  for (const bool dry : {false, true}) {
    const ended refused = dry ? run({"start", file("plan.toml"), "--dry-run"}) : run({file("plan.toml")});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err,
                HasSubstr("PLAN: step 1 (repetition 1): \"freshet bench . --frobnicate 3\": there is no option "
                          "\"--frobnicate\""));
  }
  EXPECT_FALSE(fs::exists(file("store")));
  write_plan("[matrix]\nsize = ['1M', 'much']\n[[step]]\nfreshet = ['bench', '.', '--size', '{size}']\n");
  EXPECT_THAT(run({"start", file("plan.toml"), "--dry-run"}).err, HasSubstr("--size much\": --size"));
}

TEST_F(campaign_command, is_paused_by_a_signal_and_resumed) {
  write_plan("[[step]]\ncommand = 'if [ -e began ]; then echo again; else touch began; sleep 600; fi'\n");
  const pid_t process = freshet_.start(with_store({file("plan.toml")}));
  ASSERT_TRUE(appears("began"));
  EXPECT_EQ(status().at("process"), process);
  EXPECT_THAT(run({file("plan.toml")}).err, HasSubstr("works on a campaign of this store"));
  ::kill(process, SIGINT);
  const ended interrupted = freshet_.wait_for(process);
  EXPECT_EQ(interrupted.exit_code, 130);
  EXPECT_EQ(status().at("state"), "paused");
  EXPECT_THAT(run({file("plan.toml")}).err, HasSubstr("is not over"));
  EXPECT_EQ(run({"resume"}).exit_code, 0);
  const nlohmann::json step = status().at("steps").at(0);
  EXPECT_EQ(step.at("repeated"), true);
  EXPECT_EQ(step.at("attempts").at(0).at("state"), "cut off");
  EXPECT_EQ(step.at("attempts").at(1).at("output"), "again\n");
}

TEST_F(campaign_command, takes_its_step_along_when_it_is_killed) {
  fs::create_directory(file("d"));
  write_plan("[[step]]\nfreshet = ['bench', 'd', '--size', '64K', '--method', 'buffered', '--rounds', '1000']\n");
  const pid_t process = freshet_.start(with_store({file("plan.toml")}));
  ASSERT_TRUE(appears_below("d"));
  kill(process);
  EXPECT_TRUE(nobody_holds("store.campaign"));
  EXPECT_TRUE(fs::is_empty(file("d"))) << "it was killed, too";
}

TEST_F(campaign_command, ends_what_is_left_of_a_step_that_was_cut_off) {
  write_plan(
      "[[step]]\ncommand = 'if [ -e began ]; then echo again; else sleep 600 & touch began; wait; touch ended; fi'\n");
  const pid_t process = freshet_.start(with_store({file("plan.toml")}));
  ASSERT_TRUE(appears("began"));
  kill(process);
  const ended resumed = run({"resume"});
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.err, ContainsRegex("ending what is left of a step that was cut off: [0-9]+ \\(sleep\\)\n"));
  EXPECT_EQ(status().at("steps").at(0).at("attempts").at(1).at("output"), "again\n");
  EXPECT_FALSE(fs::exists(file("ended")));
}

TEST_F(campaign_command, counts_a_step_once_that_was_cut_off_after_it_had_measured) {
  fs::create_directory(file("d"));
  const std::string bench = test::tested_command() + " bench d --size 64K --method buffered --rounds 2 --store " +
                            file("store") + " >&2 || exit; ";
  write_plan("order = 'listed'\n[[step]]\ncommand = '" + bench + "'\n[[step]]\ncommand = '" + bench +
             "if [ -e measured ]; then exit; fi; touch measured; sleep 600'\n");
  const pid_t process = freshet_.start(with_store({file("plan.toml")}));
  ASSERT_TRUE(appears("measured"));
  kill(process);
  const std::string line =
      "left out 2 trials of run 2: its try at a campaign's step was cut off, or is still at work\n";
  const ended before = run_on_store({"history"});
  EXPECT_THAT(before.err, HasSubstr(line));
  EXPECT_THAT(before.out, Not(ContainsRegex("(^|\n)2  ")));
  ASSERT_EQ(run({"resume"}).exit_code, 0);
  EXPECT_EQ(status().at("steps").at(1).at("attempts").at(0).at("runs"), (nlohmann::json{2}));
  const ended all = run_on_store({"history", "--json", "-"});
  EXPECT_THAT(all.err, HasSubstr(line));
  const nlohmann::json counted = nlohmann::json::parse(all.out).at("runs");
  std::vector<int> runs;
  for (const auto& each : counted) runs.push_back(each.at("id"));
  EXPECT_THAT(runs, testing::ElementsAre(1, 3));
  const ended page = run_on_store({"report", "--out", file("page.html")});
  EXPECT_THAT(page.err, HasSubstr(line));
  EXPECT_THAT(page.out, StartsWith(file("page.html") + ": 4 trials, "));
  const ended compared = run_on_store({"compare", "last~1", "last", "--json", "-"});
  EXPECT_THAT(compared.err, HasSubstr(line));
  const nlohmann::json sides = nlohmann::json::parse(compared.out);
  EXPECT_THAT(sides.at("first").get<std::string>(), StartsWith("run 1, "));
  EXPECT_THAT(sides.at("second").get<std::string>(), StartsWith("run 3, "));
  EXPECT_THAT(run_on_store({"compare", "1", "2"}).err, HasSubstr("there is no run 2 among those selected"));
  const ended named = run_on_store({"history", "--run", "2", "--json", "-"});
  EXPECT_EQ(nlohmann::json::parse(named.out).at("runs").at(0).at("lacks_result"), true);
  EXPECT_THAT(named.err, IsEmpty());
}

TEST_F(campaign_command, lets_a_step_read_what_it_has_measured_so_far) {
  fs::create_directory(file("d"));
  const std::string freshet = test::tested_command();
  const std::string store = " --store " + file("store");
  write_plan("[[step]]\ncommand = '" + freshet + " bench d --size 64K --method buffered --rounds 2" + store + " && " +
             freshet + " history --json -" + store + "'\n");
  EXPECT_EQ(run({file("plan.toml")}).exit_code, 0);
  const std::string output = status().at("steps").at(0).at("attempts").at(0).at("output");
  EXPECT_EQ(nlohmann::json::parse(output.substr(output.find("\n{"))).at("runs").at(0).at("trials"), 2) << output;
}

TEST_F(campaign_command, is_paused_after_the_step_at_work) {
  write_plan(
      "order = 'listed'\n[matrix]\nn = [1, 2]\n[[step]]\ncommand = 'touch began-{n}; while [ ! -e go ]; do sleep 0.01; "
      "done'\n");
  const pid_t process = freshet_.start(with_store({file("plan.toml")}));
  ASSERT_TRUE(appears("began-1"));
  EXPECT_EQ(run({"pause"}).out, "It ends after the step at work.\n");
  std::ofstream{file("go")};
  EXPECT_EQ(freshet_.wait_for(process).exit_code, 0);
  EXPECT_EQ(status().at("state"), "paused");
  EXPECT_EQ(status().at("done"), 1);
  EXPECT_FALSE(fs::exists(file("began-2")));
  EXPECT_EQ(run({"resume"}).exit_code, 0);
  EXPECT_EQ(status().at("done"), 2);
}

TEST_F(campaign_command, shows_its_unit_first_and_installs_nothing_without_yes) {
  write_plan("between = 'reboot'\n[[step]]\ncommand = 'true'\n");
  const ended refused = run(on_machine({"start", file("plan.toml")}));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.out, StartsWith(tool::format_plan(tool::list_steps(plan(), 1), {}) + "\n" + unit().string()));
  EXPECT_THAT(refused.out, ContainsRegex("\nExecStart=.* \"campaign\" \"resume\" \"--boot\" \"--store\" \"" +
                                         file("store") + "\" "));
  EXPECT_THAT(refused.err, HasSubstr("--yes: without it, nothing is installed"));
  EXPECT_TRUE(fs::is_empty(file("units")));
  EXPECT_FALSE(fs::exists(file("store")));
}

TEST_F(campaign_command, reboots_before_each_step_and_takes_its_unit_away) {
  write_plan("between = 'reboot'\norder = 'listed'\n[matrix]\nn = [1, 2]\n[[step]]\ncommand = 'echo {n}'\n");
  ASSERT_EQ(run(on_machine({"start", file("plan.toml"), "--yes"})).exit_code, 0);
  EXPECT_TRUE(fs::exists(unit()));
  EXPECT_TRUE(fs::is_symlink(file("units/multi-user.target.wants/freshet-campaign.service")));
  EXPECT_EQ(status().at("done"), 0);
  EXPECT_EQ(run({"resume"}).exit_code, 2) << "it would reboot";
  for (int done = 1; done <= 2; ++done) {
    EXPECT_TRUE(fs::exists(unit()));
    const ended boot = run(on_machine({"resume", "--boot"}));
    EXPECT_EQ(boot.exit_code, 0) << boot.err;
    EXPECT_EQ(status().at("done"), done);
  }
  EXPECT_FALSE(fs::exists(unit()));
  EXPECT_TRUE(fs::is_empty(file("units/multi-user.target.wants")));
  const nlohmann::json shown = status();
  EXPECT_EQ(shown.at("state"), "done");
  EXPECT_EQ(shown.at("steps").at(1).at("attempts").at(0).at("cold"), true);
  EXPECT_THAT(shown.at("steps").at(1).at("attempts").at(0).at("evidence").get<std::string>(),
              StartsWith("booted anew (boot-"));
  EXPECT_EQ(run(on_machine({"resume", "--boot"})).out, "no campaign is left to go on with\n");
  fs::remove(file("store"));
  EXPECT_EQ(run(on_machine({"resume", "--boot"})).out, "no campaign is left to go on with\n");
  EXPECT_FALSE(fs::exists(file("store"))) << "none is made only to say so";
}

TEST_F(campaign_command, takes_a_unit_without_a_campaign_away_at_boot) {
  write_plan("between = 'reboot'\n[[step]]\ncommand = 'true'\n");
  std::ofstream{unit()} << "of a campaign that a power cut kept from beginning\n";
  EXPECT_EQ(run(on_machine({"resume", "--boot"})).exit_code, 0);
  EXPECT_FALSE(fs::exists(unit()));
}

TEST_F(campaign_command, ends_for_good_and_takes_its_unit_away_when_aborted) {
  write_plan("between = 'reboot'\n[[step]]\ncommand = 'touch made'\n");
  ASSERT_EQ(run(on_machine({"start", file("plan.toml"), "--yes"})).exit_code, 0);
  EXPECT_EQ(run({"abort"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(unit()));
  EXPECT_EQ(status().at("state"), "aborted");
  EXPECT_EQ(run(on_machine({"resume", "--boot"})).exit_code, 0);
  EXPECT_FALSE(fs::exists(file("made")));
}

TEST_F(campaign_command, is_stopped_by_a_file) {
  write_plan("between = 'reboot'\n[[step]]\ncommand = 'touch made'\n");
  ASSERT_EQ(run(on_machine({"start", file("plan.toml"), "--yes"})).exit_code, 0);
  std::ofstream{file("store.stop")};
  EXPECT_EQ(run(on_machine({"resume", "--boot"})).exit_code, 0);
  EXPECT_FALSE(fs::exists(file("made")));
  EXPECT_EQ(status().at("state"), "paused");
  EXPECT_EQ(status().at("stop_file"), file("store.stop"));
  const ended resumed = run(on_machine({"resume", "--yes"}));
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_FALSE(fs::exists(file("store.stop")));
}

TEST_F(campaign_command, stops_after_three_boots_without_progress_and_can_be_resumed) {
  write_plan("between = 'reboot'\n[[step]]\ncommand = 'touch made'\n");
  const std::string boot_id = file("proc/sys/kernel/random/boot_id");
  ASSERT_EQ(run(on_machine({"start", file("plan.toml"), "--yes"})).exit_code, 0);
  for (int boot = 0; boot < 4; ++boot) {
    std::ofstream{boot_id} << "first\n";  // the reboot was none
    EXPECT_EQ(run(on_machine({"resume", "--boot"})).exit_code, boot < 3 ? 0 : 1);
  }
  EXPECT_EQ(status().at("state"), "stopped");
  EXPECT_EQ(status().at("why"), "3 boots in a row finished no step");
  EXPECT_FALSE(fs::exists(unit()));
  EXPECT_FALSE(fs::exists(file("made")));
  EXPECT_EQ(run(on_machine({"resume", "--yes"})).exit_code, 0);
  EXPECT_TRUE(fs::exists(unit()));
  EXPECT_EQ(run(on_machine({"resume", "--boot"})).exit_code, 0);
  EXPECT_TRUE(fs::exists(file("made")));
}

TEST_F(campaign_command, drops_caches_and_remounts_only_where_it_can) {
  write_plan("between = 'drop-caches'\n[[step]]\ncommand = 'true'\n");
  EXPECT_THAT(run({file("plan.toml"), "--proc-root", file("proc")}).err, HasSubstr("dropping caches takes root"));
  write_plan("between = 'remount'\nmount = 'units'\n[[step]]\ncommand = 'true'\n");
  EXPECT_THAT(run({file("plan.toml")}).err, HasSubstr("no whole file system is mounted there"));
  EXPECT_FALSE(fs::exists(file("store")));
}

}  // namespace
}  // namespace freshet
