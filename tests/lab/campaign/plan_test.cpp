// Plans of campaigns: what they say, in which order their steps come, and how mistakes are refused.
#include "lab/campaign/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <freshet/error.hpp>

namespace freshet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using tool::campaign_plan;
using tool::parse_plan;
using tool::planned_step;

campaign_plan parse(const std::string& text) { return parse_plan("format = 1\n" + text, "dir/plan.toml"); }

constexpr auto one_step = "[[step]]\ncommand = 'true'\n";

std::vector<std::string> words_of(const std::vector<planned_step>& steps) {
  std::vector<std::string> all;
  for (const planned_step& step : steps) {
    std::string line;
    for (const std::string& word : step.words) line += (line.empty() ? "" : " ") + word;
    all.push_back(line);
  }
  return all;
}

std::string why_refused(const std::string& text) {
  try {
    (void)parse(text);
  } catch (const error& why) {
    return why.what();
  }
  return "it was accepted";
}

TEST(a_plan, has_defaults) {
  const campaign_plan plan = parse(one_step);
  EXPECT_EQ(plan.name, "plan");
  EXPECT_EQ(plan.between, tool::between_steps::nothing);
  EXPECT_EQ(plan.repetitions, 1U);
  EXPECT_TRUE(plan.random_order);
  EXPECT_FALSE(plan.seed);
  EXPECT_FALSE(plan.stops_at_failure);
  EXPECT_EQ(plan.time_limit, 24 * 3600);
  EXPECT_EQ(plan.steps.at(0).name, "step 1");
}

TEST(a_plan, has_what_it_says) {
  const campaign_plan plan = parse(R"(
name = "all of it"
between = "remount"
mount = "/data"
repetitions = 3
order = "listed"
seed = 18
directory = "work"
inputs = ["in", "/data/more"]
time_limit = "90s"
on_failure = "stop"
[matrix]
threads = [1, 2]
[[step]]
name = "sweep"
freshet = ["sweep", "in", "--threads", "{threads}"]
)");
  EXPECT_EQ(plan.name, "all of it");
  EXPECT_EQ(plan.between, tool::between_steps::remount);
  EXPECT_EQ(plan.mount, "/data");
  EXPECT_EQ(plan.repetitions, 3U);
  EXPECT_FALSE(plan.random_order);
  EXPECT_EQ(plan.seed, 18U);
  EXPECT_EQ(plan.directory, "work");
  EXPECT_EQ(plan.inputs.size(), 2U);
  EXPECT_EQ(plan.time_limit, 90);
  EXPECT_TRUE(plan.stops_at_failure);
  EXPECT_EQ(plan.matrix.at(0).values, (std::vector<std::string>{"1", "2"}));
  EXPECT_FALSE(plan.steps.at(0).for_shell);
}

TEST(a_plan, is_multiplied_out_by_the_axes_that_a_step_names) {
  const campaign_plan plan = parse(R"(
order = "listed"
repetitions = 2
matrix = { a = [1, 2], b = ["x", "y z"] }
[[step]]
command = "echo {a}-{b} ${HOME} {c}"
[[step]]
freshet = ["bench", "{b}{b}", "--size", "1M"]
[[step]]
command = "once"
)");
  const std::vector<std::string> round{"echo 1-x ${HOME} {c}",
                                       "echo 1-'y z' ${HOME} {c}",
                                       "echo 2-x ${HOME} {c}",
                                       "echo 2-'y z' ${HOME} {c}",
                                       "bench xx --size 1M",
                                       "bench y zy z --size 1M",
                                       "once"};
  std::vector<std::string> both = round;
  both.insert(both.end(), round.begin(), round.end());
  const std::vector<planned_step> steps = list_steps(plan, 1);
  EXPECT_EQ(words_of(steps), both);
  EXPECT_EQ(steps.front().repetition, 1U);
  EXPECT_EQ(steps.back().repetition, 2U);
  EXPECT_EQ(steps.at(4).cell, (tool::matrix_cell{{"b", "x"}}));
}

TEST(a_plan, takes_values_as_they_are) {
  const campaign_plan plan =
      parse("matrix = { a = [\"{b}\"], b = [\"$(reboot); 'x'\"] }\n[[step]]\ncommand = \"echo {a} {b}\"\n");
  EXPECT_THAT(words_of(list_steps(plan, 1)), ElementsAre(R"(echo '{b}' '$(reboot); '\''x'\''')"));
}

TEST(a_plan, is_shuffled_within_each_repetition_by_its_seed) {
  const campaign_plan plan =
      parse("repetitions = 3\nmatrix = { a = [1, 2, 3, 4, 5, 6, 7, 8] }\n[[step]]\ncommand = 'echo {a}'\n");
  const auto first = words_of(list_steps(plan, 1));
  EXPECT_EQ(first, words_of(list_steps(plan, 1)));
  EXPECT_NE(first, words_of(list_steps(plan, 2)));
  // Pinned, because a kept seed must mean the same order in every version.
  EXPECT_THAT(std::vector(first.begin(), first.begin() + 8),
              ElementsAre("echo 5", "echo 7", "echo 4", "echo 6", "echo 2", "echo 8", "echo 3", "echo 1"));
  for (std::ptrdiff_t repetition = 0; repetition < 3; ++repetition)
    EXPECT_EQ((std::set(first.begin() + 8 * repetition, first.begin() + 8 * repetition + 8).size()), 8U);
}

TEST(a_plan, is_refused_with_the_line_and_the_reason) {
  EXPECT_THAT(why_refused("[[step]]\ncommand = 'x'\nwhat = 1\n"), HasSubstr("line 4: unknown key 'what'"));
  EXPECT_THAT(why_refused("name = 1\n"), HasSubstr("'name' must be text"));
  EXPECT_THAT(why_refused("name = \"a\\u001b[31m\"\n"), HasSubstr("control character"));
  EXPECT_THAT(why_refused(""), HasSubstr("at least one [[step]]"));
  EXPECT_THAT(why_refused("between = 'sleep'\n"), HasSubstr("one of nothing, drop-caches, remount, reboot"));
  EXPECT_THAT(why_refused("between = 'remount'\n[[step]]\ncommand = 'x'\n"),
              HasSubstr("'mount' names the file system"));
  EXPECT_THAT(why_refused("mount = '/x'\n[[step]]\ncommand = 'x'\n"), HasSubstr("belongs to it only"));
  EXPECT_THAT(why_refused("repetitions = 0\n"), HasSubstr("from 1 to 1000"));
  EXPECT_THAT(why_refused("time_limit = '5y'\n"), HasSubstr("'time_limit' must be a time"));
  EXPECT_THAT(why_refused("time_limit = '0s'\n"), HasSubstr("'time_limit' must be a time"));
  EXPECT_THAT(why_refused("[matrix]\na = [1]\n[[step]]\ncommand = 'x'\n"), HasSubstr("no step uses {a}"));
  EXPECT_THAT(why_refused("[matrix]\na = []\n"), HasSubstr("must be a list of values"));
  EXPECT_THAT(why_refused("[matrix]\na = [1.5]\n"), HasSubstr("texts or whole numbers"));
  EXPECT_THAT(why_refused("[matrix]\n'a b' = [1]\n"), HasSubstr("letters, digits"));
  EXPECT_THAT(why_refused("[matrix]\na = [1, 2, '1']\n"), HasSubstr("'a' has the value 1 twice"));
  EXPECT_THAT(why_refused("[[step]]\nfreshet = ['bench', '{b}']\n"), HasSubstr("'step 1' uses {b}, which 'matrix'"));
  EXPECT_EQ(parse("[[step]]\nfreshet = ['bench', '--program', './app {}']\n").steps.size(), 1U);
  EXPECT_EQ(parse("[[step]]\ncommand = \"awk '{print}' ${HOME}/a\"\n").steps.size(), 1U) << "the shell's braces";
  EXPECT_THAT(why_refused("[[step]]\nname = 'x'\n"), HasSubstr("either 'freshet'"));
  EXPECT_THAT(why_refused("[[step]]\nfreshet = ['bench']\ncommand = 'x'\n"), HasSubstr("either 'freshet'"));
  EXPECT_THAT(why_refused("[[step]]\nfreshet = ['history']\n"), HasSubstr("does not measure"));
  EXPECT_THAT(why_refused("[[step]]\nfreshet = ['campaign', 'x']\n"), HasSubstr("does not measure"));
  EXPECT_THAT(why_refused("[[step]]\nfreshet = ['bench', '--no-store']\n"), HasSubstr("leave out --no-store"));
  EXPECT_THAT(why_refused("[[step]]\nfreshet = ['bench', '--store=x']\n"), HasSubstr("leave out --store=x"));
  EXPECT_THAT(
      why_refused("repetitions = 1000\nmatrix = { a = [1,2,3,4,5,6,7,8,9,10,11] }\n[[step]]\ncommand = '{a}'\n"),
      HasSubstr("more than 10000 steps"));
  EXPECT_THAT(why_refused("x = ["), HasSubstr("line 2"));
  EXPECT_THAT(why_refused(std::string(tool::largest_plan, '#')), HasSubstr("at most 256 KiB"));
  EXPECT_THROW((void)parse_plan("[[step]]\ncommand = 'x'\n", "plan.toml"), error) << "no format";
  EXPECT_THROW((void)parse_plan("format = 2\n[[step]]\ncommand = 'x'\n", "plan.toml"), error) << "another format";
}

}  // namespace
}  // namespace freshet
