// Two programs in turn: `freshet bench --against`.
#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tool/command/measuring_command.hpp"

namespace freshet {
namespace {

using test::ended;
using testing::AllOf;
using testing::HasSubstr;

class against_command : public test::measuring_command {
 protected:
  ended run(const std::string& program, const std::string& other, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"bench", directory(), "--no-store", "--program", program, "--against", other};
    words.insert(words.end(), more.begin(), more.end());
    return freshet_.run(words);
  }

  /// The exit code that these results call for.
  static int expected_exit(const nlohmann::json& duels) {
    int code = 0;
    for (const nlohmann::json& duel : duels) {
      if (duel.at("state") == "worse") return 1;
      if (duel.at("state") == "open") code = 3;
    }
    return code;
  }

  static std::string sleeper(const std::string& seconds) { return "sleep " + seconds + "; echo text >"; }
};

TEST_F(against_command, exits_with_1_where_a_slowdown_of_20_percent_was_planted) {
  const ended done = run(sleeper("0.24"), sleeper("0.20"));
  EXPECT_EQ(done.exit_code, 1) << done.out;
  EXPECT_THAT(done.err, HasSubstr("is certainly slower by more than 5 %"));
  EXPECT_TRUE(nothing_left());
}

TEST_F(against_command, exits_with_0_where_nothing_changed) {
  const ended done = run(sleeper("0.2"), sleeper("0.2"), {"--json", file("result.json")});
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  EXPECT_THAT(done.out, HasSubstr("not slower"));
}

TEST_F(against_command, exits_with_3_where_it_cannot_tell) {
  // Two programs that take half a second and none in turns, each when the other does not.
  const auto takes_turns = [&](const std::string& counter, const std::string& slow_turn) {
    return "n=$(($(cat " + counter + " 2>/dev/null || echo 0) + 1)); echo $n >" + counter +
           "; [ $((n % 2)) = " + slow_turn + " ] && sleep 0.5; echo text >";
  };
  const ended done = run(takes_turns(file("odd"), "1"), takes_turns(file("even"), "0"), {"--rounds", "1"});
  EXPECT_EQ(done.exit_code, 3) << done.out;
  EXPECT_THAT(done.err, HasSubstr("more rounds would"));
}

TEST_F(against_command, says_why_a_program_could_not_be_measured) {
  const ended failed = run("echo no paper >&2; false", "true");
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.err, HasSubstr("no paper"));
  const ended silent = run("true", "true");
  EXPECT_EQ(silent.exit_code, 1);
  EXPECT_THAT(silent.err, HasSubstr("wrote nothing"));
}

TEST_F(against_command, refuses_programs_that_do_different_work) {
  const ended done = run("echo longer >", "echo text >");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("files of different sizes, 7 and 5 bytes"));
}

TEST_F(against_command, keeps_to_its_bytes) {
  const ended done = freshet_.run({"bench", directory(), "--no-store", "--method", "buffered", "--size", "1M",
                                   "--max-bytes", "4M", "--against", test::tested_command(), "--json", "-"});
  EXPECT_EQ(done.exit_code, 3) << done.err;
  EXPECT_EQ(nlohmann::json::parse(done.out).at("duels").at(0).at("first").size(), 2U);
}

TEST_F(against_command, wants_a_build_of_freshet_if_none_of_the_users_programs_is_named) {
  const ended done = freshet_.run({"bench", directory(), "--no-store", "--against", "/bin/true"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, AllOf(HasSubstr("'/bin/true'"), HasSubstr("it is not a build of freshet")));
  EXPECT_EQ(freshet_.run({"bench", directory(), "--class", "cold", "--against", "x"}).exit_code, 2);
}

TEST_F(against_command, compares_two_builds_of_freshet) {
  const ended done = freshet_.run({"bench", directory(), "--no-store", "--method", "buffered,direct", "--size", "1M",
                                   "--rounds", "1", "--against", test::tested_command(), "--json", "-"});
  const nlohmann::json result = nlohmann::json::parse(done.out);
  EXPECT_EQ(done.exit_code, expected_exit(result.at("duels"))) << done.err;
  ASSERT_EQ(result.at("duels").size(), 2U);
  for (const nlohmann::json& duel : result.at("duels")) {
    EXPECT_GE(duel.at("first").size(), 6U);
    EXPECT_EQ(duel.at("first").size(), duel.at("against").size());
    for (const nlohmann::json& trial : duel.at("against")) EXPECT_EQ(trial.at("bytes_compared"), trial.at("bytes"));
  }
}

// Both carried out one plan, and older versions gave them one label.
TEST_F(against_command, keeps_both_programs_apart_in_the_store) {
  const std::string first = "echo text >";
  const std::string other = "sleep 0.02; echo text >";
  const ended done = freshet_.run({"bench", directory(), "--store", file("store"), "--program", first, "--against",
                                   other, "--rounds", "1", "--json", file("result.json")});
  const nlohmann::json duels = nlohmann::json::parse(test::content_of(file("result.json"))).at("duels");
  ASSERT_EQ(done.exit_code, expected_exit(duels)) << done.err;
  const nlohmann::json& duel = duels.at(0);
  const auto rows = [&] {
    const ended shown = freshet_.run({"history", "--run", "last", "--store", file("store"), "--json", "-"});
    return nlohmann::json::parse(shown.out).at("runs").at(0).at("groups").at(0).at("ranking");
  };
  const nlohmann::json told = rows();
  ASSERT_EQ(told.size(), 2U);
  EXPECT_THAT(std::vector({told[0].at("label"), told[1].at("label")}),
              testing::UnorderedElementsAre(nlohmann::json{first}[0], nlohmann::json{other}[0]));
  EXPECT_EQ(told[0].at("trials"), duel.at("first").size());
  EXPECT_GT(duel.at("first")[0].at("cpu_whole"), 0);
  // The pick is compared with nothing; the other's figure is that of `bench`, or its inverse.
  const bool is_first = told[1].at("label") == first;
  const double ratio = told[1].at("ratio");
  EXPECT_NEAR(is_first ? ratio : 1 / ratio, duel.at("ratio"), 1e-9);
  const double low = told[1].at("interval").at(0);
  const double high = told[1].at("interval").at(1);
  EXPECT_NEAR(is_first ? low : 1 / high, duel.at("bounds").at(0), 1e-9);
  EXPECT_NEAR(is_first ? high : 1 / low, duel.at("bounds").at(1), 1e-9);

  SQLite::Database{file("store"), SQLite::OPEN_READWRITE}.exec("UPDATE trials SET label = compared");
  EXPECT_EQ(rows().size(), 2U) << "as an older version stored them";
}

}  // namespace
}  // namespace freshet
