// A constant rate: `freshet sustain`.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/mounted_image.hpp"
#include "tests/tool/command/measuring_command.hpp"

namespace freshet {
namespace {

using test::ended;
using testing::AllOf;
using testing::HasSubstr;

class sustain_command : public test::measuring_command {
 protected:
  ended run(const std::vector<std::string>& more) { return run_in(directory(), more); }
  ended run_in(const std::string& place, const std::vector<std::string>& more) {
    std::vector<std::string> words{"sustain", place, "--no-store"};
    if (std::ranges::find(more, "--size") == more.end()) words.insert(words.end(), {"--size", "64K"});
    words.insert(words.end(), more.begin(), more.end());
    return freshet_.run(words);
  }
};

TEST_F(sustain_command, answers_in_a_sentence_and_in_figures) {
  const ended done = run({"--rate", "200K", "--time", "1s", "--json", file("result.json")});
  const nlohmann::json result = nlohmann::json::parse(test::content_of(file("result.json")));
  const std::string answer = result.at("answer");
  EXPECT_EQ(done.exit_code, answer == "yes" ? 0 : answer == "no" ? 1 : 3) << done.err;
  EXPECT_THAT(done.out, testing::ContainsRegex("\nwritten in all: [^\n]+\n$"));
  EXPECT_THAT(done.err, HasSubstr("writes 195 KiB in 1 s"));
  EXPECT_EQ(result.at("rate"), 200'000);
  EXPECT_EQ(result.at("time"), 1);
  EXPECT_GT(result.at("bytes"), 0);
  EXPECT_LE(result.at("bytes"), 250'000);
  EXPECT_FALSE(result.at("samples").empty());
  std::filesystem::remove(file("result.json"));
  EXPECT_TRUE(nothing_left());
}

TEST_F(sustain_command, finds_a_rate_that_holds) {
  const ended done = run({"--time", "1s", "--size", "1M", "--max-bytes", "2G", "--json", "-"});
  if (done.exit_code == 1) {  // where the disk varies, none of those that were tried may hold
    if (done.out.empty()) {
      EXPECT_THAT(done.err, testing::AnyOf(HasSubstr("find a rate that holds"), HasSubstr("--max-bytes")));
    } else {
      EXPECT_EQ(nlohmann::json::parse(done.out).at("answer"), "no");
    }
    return;
  }
  EXPECT_GT(nlohmann::json::parse(done.out).at("rate"), 1e6);
}

TEST_F(sustain_command, says_what_it_would_write_where_it_may_not) {
  const ended done = run({"--rate", "1G", "--time", "10m"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, AllOf(HasSubstr("559 GiB would be written"), HasSubstr("--max-bytes allows, 64 GiB")));
  EXPECT_TRUE(nothing_left());
}

TEST_F(sustain_command, wants_a_tenth_of_the_file_system_to_stay_free) {
  const test::mounted_image small{file(""), "tmpfs", 8 << 20};
  if (!small.why_not().empty()) GTEST_SKIP() << small.why_not();
  const ended done = run_in(small.path(), {"--rate", "1M", "--time", "1s", "--size", "4M"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("a tenth of the file system stays free"));
}

TEST_F(sustain_command, keeps_its_speed_over_time) {
  const ended done = freshet_.run(
      {"sustain", directory(), "--store", file("store"), "--size", "64K", "--rate", "200K", "--time", "1s"});
  ASSERT_NE(done.exit_code, 2) << done.err;
  const ended shown = freshet_.run({"history", "--store", file("store"), "--run", "last", "--json", "-"});
  const nlohmann::json trial = nlohmann::json::parse(shown.out).at("runs").at(0).at("all_trials").at(0);
  EXPECT_TRUE(trial.at("over_time").is_object()) << trial;
}

TEST_F(sustain_command, refuses_what_makes_no_sense) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"--rate", "0"}, {"--rate", "fast"}, {"--writers", "0"}, {"--method", "ofstream"}, {"--time", "0"}})
    EXPECT_EQ(run(words).exit_code, 2) << words.front();
  EXPECT_EQ(freshet_.run({"sustain"}).exit_code, 2);
}

}  // namespace
}  // namespace freshet
