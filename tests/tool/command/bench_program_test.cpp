// Programs of the user's alone: `freshet bench --program`.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tool/command/measuring_command.hpp"

namespace freshet {
namespace {

using test::ended;
using testing::HasSubstr;
using testing::Not;

class bench_program_command : public test::measuring_command {
 protected:
  [[nodiscard]] std::vector<std::string> bench(const std::vector<std::string>& more) const {
    std::vector<std::string> words{"bench", directory(), "--no-store", "--rounds", "2", "--memory", "left"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  [[nodiscard]] ended run(const std::vector<std::string>& more) const { return freshet_.run(bench(more)); }
};

TEST_F(bench_program_command, measures_one_program_alone) {
  const nlohmann::json trials = json_of(bench({"--program", "head -c 2000000 /dev/zero >{}"})).at("trials");
  ASSERT_EQ(trials.size(), 2U);
  for (const nlohmann::json& trial : trials) {
    EXPECT_EQ(trial.at("plan").at("method"), "head -c 2000000 /dev/zero >{}");
    EXPECT_EQ(trial.at("bytes"), 2'000'000);
  }
  EXPECT_TRUE(nothing_left());
}

TEST_F(bench_program_command, has_programs_take_turns_with_each_other_and_with_methods) {
  const nlohmann::json trials = json_of(bench({"--program", "seq 100000 >{}", "--program", "seq -f %g, 100000 >{}",
                                               "--method", "buffered", "--size", "1M"}))
                                    .at("trials");
  ASSERT_EQ(trials.size(), 6U);
  std::vector<std::string> names;
  for (const nlohmann::json& trial : trials) {
    names.push_back(trial.at("plan").at("method"));
    EXPECT_GT(trial.at("bytes"), 0);
    EXPECT_TRUE(trial.at("page_cache").is_number());
    EXPECT_TRUE(trial.at("peak_memory").is_number());
  }
  EXPECT_THAT(names, testing::Contains("seq -f %g, 100000 >{}").Times(2)) << "with its comma";
  EXPECT_THAT(names, testing::Contains("buffered").Times(2));
}

TEST_F(bench_program_command, goes_on_without_one_that_fails) {
  const ended done = run({"--program", "echo no paper; false", "--program", "echo text >{}", "--json", file("result")});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("echo no paper; false: the program ended with exit code 1: no paper"));
  EXPECT_THAT(done.err, Not(HasSubstr("echo text")));
  const nlohmann::json verdict = nlohmann::json::parse(test::content_of(file("result"))).at("verdicts").at(0);
  EXPECT_EQ(verdict.at("winner").at("method"), "echo text >{}");
}

TEST_F(bench_program_command, checks_what_they_write) {
  EXPECT_EQ(run({"--program", "echo right >{}", "--check", "grep -q right {}"}).exit_code, 0);
  const ended wrong = run({"--program", "echo wrong >{}", "--check", "grep -q right {}"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("wrote a wrong file"));
}

TEST_F(bench_program_command, measures_programs_that_read) {
  const nlohmann::json trials =
      json_of(bench({"--program", "cat {} >/dev/null", "--reads", "--class", "warm", "--size", "1M"})).at("trials");
  ASSERT_EQ(trials.size(), 2U);
  EXPECT_EQ(trials[0].at("plan").at("class"), "warm");
}

TEST_F(bench_program_command, ends_those_that_take_too_long) {
  const ended done = run({"--program", "sleep 600 #", "--timeout", "0.2s"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("did not end within 0.2 s"));
  EXPECT_TRUE(nothing_left());
}

TEST_F(bench_program_command, refuses_what_makes_no_sense) {
  const auto refuses = [&](const std::vector<std::string>& words, const std::string& why) {
    const ended done = run(words);
    EXPECT_EQ(done.exit_code, 2) << testing::PrintToString(words);
    EXPECT_THAT(done.err, HasSubstr(why));
  };
  refuses({"--reads"}, "--program");
  refuses({"--check", "true"}, "--program");
  refuses({"--timeout", "1s"}, "--program");
  refuses({"--program", "x", "--jobs", "2"}, "--jobs");
  refuses({"--program", "x", "--class", "cold"}, "--reads says that it reads");
  refuses({"--program", "x", "--reads", "--class", "none"}, "--class can only be cold or warm");
  refuses({"--program", "x", "--program", "y", "--against", "z"}, "--against compares one --program");
  refuses({"--program", ""}, "--program");
}

}  // namespace
}  // namespace freshet
