#include "tool/usage/manual.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tests/support/golden.hpp"
#include "tool/usage/notes.hpp"

namespace freshet::tool {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;

program_description sample() {
  return {.name = "tool",
          .summary = "Does what it is told.",
          .version = "tool 1.2",
          .notes = "",
          .exits = {{"0", "done"}},
          .variables = {{"TOOL_HOME", "Where it lives."}},
          .commands = {{.name = "cut",
                        .summary = "Cut it",
                        .notes = ".hidden files 'and' quotes\nExample:\n  tool cut --at 3\\n",
                        .options = {{.names = {"-a", "--at"}, .argument = "N", .help = "Where, -1 is the end"},
                                    {.argument = "FILE", .help = "The file", .required = true}},
                        .exits = {{"0", "done"}, {"128+N", "signal N"}}}}};
}

// Name, version and date; arguments and options; lists of terms and lines that stay; and what roff would obey.
TEST(manual, has_a_page_for_each_command_and_one_for_the_program) {
  program_description program = sample();
  program.commands.front().notes += "\nTwo ways:\n  fast   at once\n  slow   in the end\nNo list:\n  a line";
  EXPECT_TRUE(
      test::is_golden("tool/usage/golden/tool-cut.1", write_manual(program, program.commands.front(), "2026-03-01")));
  EXPECT_TRUE(test::is_golden("tool/usage/golden/tool.1", write_manual(program, "2026-03-01")));
}

TEST(manual, has_no_line_that_a_reader_of_the_source_must_scroll_to) {
  program_description program = sample();
  for (int word = 0; word < 100; ++word) program.commands.front().options.front().help += " word";
  std::istringstream lines{write_manual(program, program.commands.front(), "2026-03-01")};
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(notes, are_paragraphs_lines_that_stay_and_examples) {
  const split_notes parts = split(
      "One\nparagraph.\n\nAnother:\n  kept   as it is\n  too\n\nExamples:\n  first    what it does\n           and "
      "more\nThe end.");
  ASSERT_EQ(parts.paragraphs.size(), 4U);
  EXPECT_EQ(parts.paragraphs[0].text, "One paragraph.");
  EXPECT_EQ(parts.paragraphs[1].text, "Another:");
  EXPECT_EQ(parts.paragraphs[2].text, "kept   as it is\ntoo");
  EXPECT_TRUE(parts.paragraphs[2].is_verbatim);
  EXPECT_EQ(parts.paragraphs[3].text, "The end.");
  EXPECT_THAT(parts.examples, ElementsAre(Field(&two_columns::first, "first")));
  EXPECT_EQ(parts.examples[0].second, "what it does and more");
}

TEST(notes, may_be_empty) {
  EXPECT_TRUE(split("").paragraphs.empty());
  EXPECT_TRUE(split("").examples.empty());
}

}  // namespace
}  // namespace freshet::tool
