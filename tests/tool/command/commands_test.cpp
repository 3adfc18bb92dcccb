// Which commands there are here, and what becomes of those that a system lacks.
#include "tool/command/commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

namespace freshet::tool {
namespace {

TEST(commands, of_linux_alone_are_those_that_windows_refuses) {
  program_parser program{"freshet", "", "", ""};
  add_all_commands(program);
  add_help_command(program);
  std::set<std::string> names;
  for (const command_description& each : program.describe().commands) names.insert(each.name);
  std::set<std::string> expected{"text", "methods", "help"};
  expected.insert(commands_of_linux.begin(), commands_of_linux.end());
  EXPECT_EQ(names, expected);
}

TEST(commands, that_a_system_lacks_are_refused_in_a_sentence) {
  program_parser program{"freshet", "", "", ""};
  program.lack_command("tune", "tune needs another system");
  const std::array words{"freshet", "tune", "--time", "60s", "/data"};
  testing::internal::CaptureStderr();
  EXPECT_EQ(program.run(static_cast<int>(words.size()), words.data(), true), wrong_usage);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "freshet: tune needs another system\n");
  testing::internal::CaptureStderr();
  EXPECT_EQ(program.run(static_cast<int>(words.size()), words.data(), false), wrong_usage);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(program.why_refused({"tune", "/data"}), "tune needs another system");
  EXPECT_THAT(program.why_refused({"tume"}), testing::HasSubstr("there is no command"));
}

}  // namespace
}  // namespace freshet::tool
