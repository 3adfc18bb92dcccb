// `freshet peers` as a user runs it, with peers that work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/lab/peers/peer_folders.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/undisturbed.hpp"
#include "tool/command/arguments.hpp"

namespace freshet {
namespace {

namespace fs = std::filesystem;
using test::content_of;
using test::ended;
using test::manifest_of;
using test::with;
using testing::AllOf;
using testing::HasSubstr;

class peers_command : public test::peers_fixture {
 protected:
  nlohmann::json figures(std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--json", "-"});
    const ended done = test::undisturbed([&] { return run(more); });
    EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
    return nlohmann::json::parse(done.out, nullptr, false);
  }
};

TEST_F(peers_command, measures_peers_side_by_side) {
  peers_.add("one");
  peers_.add("two");
  const ended done = run({"--seed", "5", "--json", private_ / "json"});
  ASSERT_EQ(done.exit_code, 0) << done.out << done.err;
  const nlohmann::json json = nlohmann::json::parse(content_of(private_ / "json"));
  std::set<std::string> measured;
  for (const nlohmann::json& each : json["trials"]) measured.insert(each["method"]);
  EXPECT_THAT(measured, testing::ElementsAre("one", "two"));
  EXPECT_THAT(done.out, testing::ContainsRegex("\nMB/s until closed and until on disk"));
  EXPECT_THAT(done.out, testing::EndsWith("\n\n" + tool::format_end(json["bytes_written"], 5)));
  EXPECT_EQ(done.err, "");
  EXPECT_TRUE(nothing_left());
}

TEST_F(peers_command, writes_all_figures_as_json) {
  peers_.add("one");
  const nlohmann::json json = figures({"--rounds", "2"});
  ASSERT_EQ(json["peers"].size(), 1U);
  EXPECT_EQ(json["peers"][0]["name"], "one");
  EXPECT_EQ(json["peers"][0]["checked"], true);
  EXPECT_TRUE(json["peers"][0]["failure"].is_null());
  ASSERT_EQ(json["trials"].size(), 2U);
  const nlohmann::json& trial = json["trials"][0];
  EXPECT_EQ(trial["method"], "one");
  EXPECT_EQ(trial["plan"]["size"], 102400);
  EXPECT_EQ(trial["plan"]["workload"], "text");
  EXPECT_EQ(trial["bytes"], trial["bytes_compared"]);
  EXPECT_LE(trial["bytes"], 102400);
  EXPECT_GT(trial["bytes"], 102300);
  EXPECT_GT(trial["lines"], 1000);
  EXPECT_GT(trial["start_seconds"], 0.0);
  EXPECT_GT(trial["seconds_to_close"], 0.0);
  EXPECT_GE(trial["seconds_to_disk"], trial["seconds_to_close"]);
  EXPECT_GT(trial["peak_memory"], 100000);
  EXPECT_GT(trial["write_calls"], 0);
  EXPECT_NE(trial["verdict"], "invalid") << trial["reasons"];
}

TEST_F(peers_command, judges_a_peer_by_the_method_that_it_reports) {
  const std::string direct =
      test::with(with(manifest_of("one"), "kind =", "method = \"direct\"\nkind ="), "[\"sequential\"]", "[]");
  const auto script_saying = [](const std::string& line) {
    return "handshake ready\nwrite_text \"$size\" > \"$file\"\nhandshake '" + line + "'\n";
  };
  const auto trial = [&](const std::string& line, const std::vector<std::string>& more = {}) {
    peers_.add("one", script_saying(line), more.empty() ? direct : with(manifest_of("one"), "sequential", "no-cache"));
    const nlohmann::json json = figures(more);
    return json["trials"][0];
  };
  EXPECT_NE(trial("closed direct")["verdict"], "invalid");
  EXPECT_EQ(trial("closed direct")["method_at_work"], "direct");
  for (const std::string line : {"closed buffered", "closed"}) {
    const nlohmann::json fallen_back = trial(line);
    EXPECT_EQ(fallen_back["verdict"], "invalid");
    EXPECT_EQ(fallen_back["reasons"][0], "written by buffered, not by direct");
    EXPECT_EQ(fallen_back["method_at_work"], "buffered");
  }
  EXPECT_EQ(trial("closed", {"--no-cache"})["reasons"][0], "written by buffered, not by direct");
  EXPECT_NE(trial("closed direct", {"--no-cache"})["verdict"], "invalid");
  peers_.add("one", script_saying("closed direct"));
  EXPECT_EQ(figures()["trials"][0]["reasons"][0], "written by direct, not by buffered");
}

TEST_F(peers_command, keeps_its_trials_in_the_store) {
  peers_.add("one");
  ASSERT_EQ(run().exit_code, 0);
  ASSERT_EQ(run().exit_code, 0);
  EXPECT_EQ(json_of({"history"})["runs"][0]["command"], "peers");
  EXPECT_EQ(json_of({"compare", "last~1", "last"})["plans"][0]["labels"][0], "one");
  const fs::path csv = private_ / "trials.csv";
  ASSERT_EQ(run({"--export", "csv", csv}).exit_code, 0);
  EXPECT_THAT(content_of(csv),
              testing::ContainsRegex("\n[0-9]+,[0-9]+,peers,text,none,one,.*\"\"start_seconds\"\":[0-9]"));
}

TEST_F(peers_command, passes_options_to_the_peers_that_have_them) {
  const std::string noting =
      std::string{"echo \"$all\" > '"} + (private_ / "words").string() + "'\n" + test::good_script;
  peers_.add("one", noting);
  // script_begin consumes the arguments, so the script saves them first.
  std::ofstream script{peers_.path() / "one/main.sh"};
  script << "all=$*\n" << test::script_begin << noting;
  script.close();
  peers_.add("two", test::good_script, with(manifest_of("two"), "[\"sequential\"]", "[]"));
  const nlohmann::json json = figures({"--sequential"});
  EXPECT_TRUE(json["peers"][0]["left_out"].is_null());
  EXPECT_EQ(json["peers"][1]["left_out"], "cannot --sequential");
  EXPECT_THAT(content_of(private_ / "words"),
              testing::MatchesRegex("--workload text --file [^ ]+ --size 102400 --sequential --target new\n"));
  EXPECT_THAT(run({"--reserve"}).err, HasSubstr("cannot --reserve"));
}

TEST_F(peers_command, measures_each_variant) {
  const std::string variants =
      "[[variant]]\nname = \"a\"\ntitle = \"first\"\narguments = [\"--x\", \"1\"]\n"
      "[[variant]]\nname = \"b\"\ntitle = \"second\"\narguments = [\"--x\", \"2\"]\n";
  peers_.add("one", test::good_script, manifest_of("one") + variants);
  peers_.add("two");
  EXPECT_EQ(figures()["peers"].size(), 3U);
  EXPECT_EQ(figures({"--only", "one/b"})["peers"][0]["name"], "one/b");
  EXPECT_EQ(figures({"--only", "one/b,two"})["peers"].size(), 2U);
  EXPECT_EQ(figures({"--only", "one", "--only", "two"})["peers"].size(), 3U);
  EXPECT_EQ(figures({"--only", "shell"})["peers"].size(), 3U);
}

TEST_F(peers_command, builds_only_changed_peers) {
  const fs::path log = private_ / "log";
  const std::string build = "build = \"echo built >> '" + log.string() + "'; cp {source}/main.sh {out}/built.sh\"\n";
  const std::string manifest = with(manifest_of("one"), "{source}/main.sh", "{out}/built.sh") + build;
  peers_.add("one", test::good_script, manifest);
  ASSERT_EQ(run().exit_code, 0);
  ASSERT_EQ(run().exit_code, 0);
  EXPECT_EQ(content_of(log), "built\n");
  peers_.add("one", std::string{test::good_script} + "# changed\n", manifest);
  ASSERT_EQ(run().exit_code, 0);
  EXPECT_EQ(content_of(log), "built\nbuilt\n");
  fs::create_directories(peers_.path() / "common/sh");
  std::ofstream{peers_.path() / "common/sh/shared"} << "shared";
  ASSERT_EQ(run().exit_code, 0);
  EXPECT_EQ(content_of(log), "built\nbuilt\nbuilt\n");
}

TEST_F(peers_command, builds_again_after_a_failed_build) {
  const fs::path obstacle = private_ / "obstacle";
  std::ofstream{obstacle} << "x";
  const std::string build = "build = \"touch {out}/half; test ! -e '" + obstacle.string() + "'\"\n";
  peers_.add("one", test::good_script, manifest_of("one") + build);
  EXPECT_EQ(run().exit_code, 1);
  fs::remove(obstacle);
  EXPECT_EQ(run().exit_code, 0);
}

TEST_F(peers_command, overwrites_existing_files) {
  const std::string over =
      "handshake ready\nwrite_text \"$size\" | dd of=\"$file\" conv=notrunc status=none\n"
      "truncate -s \"$(write_text \"$size\" | wc -c)\" \"$file\"\nhandshake closed\n";
  peers_.add("one", over, with(manifest_of("one"), "[\"sequential\"]", "[\"overwrite\"]"));
  const nlohmann::json json = figures({"--target", "overwrite"});
  EXPECT_EQ(json["trials"][0]["plan"]["target"], "overwrite");
  EXPECT_GT(json["trials"][0]["bytes_written"], json["trials"][0]["bytes"]);
}

TEST_F(peers_command, lists_the_peers) {
  peers_.add("one");
  peers_.add("two", "", with(manifest_of("two"), "[\"sh\"]", "[\"no-such-tool\"]"));
  peers_.add("three", "", with(manifest_of("three"), "[[toolchain]]", "platform = \"windows\"\n[[toolchain]]"));
  const ended done = run({"--list", "--json", "-"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  std::map<std::string, nlohmann::json> left_out;
  const nlohmann::json list = nlohmann::json::parse(done.out);
  for (const nlohmann::json& each : list["peers"]) left_out[each["name"]] = each["left_out"];
  EXPECT_EQ(left_out,
            (std::map<std::string, nlohmann::json>{
                {"one", nullptr}, {"two", "not here, needs no-such-tool (Debian: dash)"}, {"three", "Windows only"}}));
}

// setpriv changes the real user, too: a program whose effective user alone differs ignores its environment.
TEST_F(peers_command, works_for_an_ordinary_user) {
  if (::geteuid() != 0) GTEST_SKIP() << "all other tests show it";
  peers_.add("one");
  fs::permissions(peers_.path(), fs::perms::all);
  const test::temporary_directory his{test::undisturbed_place()};
  ASSERT_EQ(::chown(his.path().c_str(), 65534, 65534), 0);
  const std::string place = his.path();
  const std::string call = "setpriv --reuid 65534 --regid 65534 --clear-groups env XDG_CACHE_HOME=" + place +
                           "/cache XDG_STATE_HOME=" + place + "/state " + test::command_for_all() + " peers " + place +
                           " --peers " + peers_.path().string() + " --size 100K --rounds 1 --memory reused --json " +
                           place + "/json > " + place + "/out 2>&1";
  EXPECT_EQ(std::system(call.c_str()), 0) << content_of(his / "out");
  EXPECT_EQ(nlohmann::json::parse(content_of(his / "json"))["trials"].size(), 1U);
}

TEST_F(peers_command, takes_the_directory_after_the_names) {
  peers_.add("one");
  const ended done = freshet_.run({"peers", "--peers", peers_.path(), "--size", "100K", "--rounds", "1", "--memory",
                                   "reused", "--only", "one", directory()});
  EXPECT_EQ(done.exit_code, 0) << done.err;
}

TEST_F(peers_command, measures_only_peers_whose_libraries_are_there) {
  peers_.add("one", test::good_script, test::with(test::manifest_of("one"), "needs = [", "needs = [\"library:c\", "));
  peers_.add("two", test::good_script,
             test::with(test::manifest_of("two"), "needs = [", "needs = [\"library:no-such-library\", "));
  EXPECT_EQ(figures()["trials"].size(), 1U);
}

TEST_F(peers_command, refuses_wrong_usage) {
  peers_.add("one");
  const ended unknown = run({"--only", "cobol"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("\"cobol\""), HasSubstr("families: shell; peers: one")));
  for (const auto& wrong : std::vector<std::vector<std::string>>{{"--size", "0"},
                                                                 {"--size", "x"},
                                                                 {"--rounds", "0"},
                                                                 {"--workload", "blocks"},
                                                                 {"--buffer", "0"},
                                                                 {"--target", "old"},
                                                                 {"--time-limit", "0"},
                                                                 {"--order", "none"},
                                                                 {"--peers", private_ / "none"}}) {
    std::vector<std::string> all{"peers", directory()};
    all.insert(all.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(freshet_.run(all).exit_code, 2) << wrong[0] << ' ' << wrong[1];
  }
}

TEST_F(peers_command, asks_for_space_and_budget_first) {
  peers_.add("one");
  const ended large = run({"--size", "1000T", "--max-bytes", "9000T"});
  EXPECT_EQ(large.exit_code, 1);
  EXPECT_THAT(large.err, HasSubstr("--force"));
  const ended much = run({"--max-bytes", "100K"});
  EXPECT_EQ(much.exit_code, 1);
  EXPECT_THAT(much.err, HasSubstr("--max-bytes"));
  const ended nowhere = freshet_.run({"peers", private_ / "none", "--peers", peers_.path()});
  EXPECT_EQ(nowhere.exit_code, 1);
  EXPECT_THAT(nowhere.err, HasSubstr((private_ / "none").string()));
}

TEST_F(peers_command, says_that_there_are_no_peers) {
  const ended done = run();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, AllOf(HasSubstr("find peers in"), HasSubstr(peers_.path().string())));
}

}  // namespace
}  // namespace freshet
