// Wrong usage: every command refuses it in the same two lines, before it does anything.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/freshet_command.hpp"

namespace freshet {
namespace {

using test::ended;

struct mistake {
  std::vector<std::string> words;
  std::string reason;
};

TEST(mistakes, are_refused_in_one_style) {
  const test::freshet_command freshet;
  const std::vector<mistake> all{
      {{"bench", "d", "--methud=mmap"}, "there is no option \"--methud\"; the nearest is --method"},
      {{"bench", "--details"}, "there is no option \"--details\""},
      {{"tune", "--detials"}, "there is no option \"--detials\"; the nearest is --details"},
      {{"tune", "--time", "soon"},
       "--time: \"soon\" is not a time: expected seconds or minutes, such as 90s or 2m, up to a year"},
      {{"tune", "a", "b"}, "\"b\" is one name too many"},
      {{"text", "a", "--size", "1", "--size", "2"}, "--size is given more than once"},
      {{"tune", "d", "--class", "none", "--durability", "none"}, "--class is given more than once"},
      {{"bench", "--rounds"}, "--rounds: 1 required N missing"},
      {{"text"}, "FILE is required"},
  };
  for (const mistake& each : all) {
    const ended refused = freshet.run(each.words);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(refused.out, "");
    const std::string& command = each.words.front();
    EXPECT_EQ(refused.err,
              "freshet " + command + ": " + each.reason + "\nRun freshet " + command + " --help for all options.\n");
  }
}

TEST(mistakes, in_the_name_of_a_command_are_refused_alike) {
  const test::freshet_command freshet;
  const std::string hint = "\nRun freshet --help for all commands.\n";
  EXPECT_EQ(freshet.run({"benhc"}).err, "freshet: there is no command \"benhc\"; the nearest is bench" + hint);
  EXPECT_EQ(freshet.run({"nosuch"}).err, "freshet: there is no command \"nosuch\"" + hint) << "none is near";
  EXPECT_EQ(freshet.run({"--details"}).err, "freshet: a command is missing" + hint);
}

}  // namespace
}  // namespace freshet
