#include "tool/usage/manual.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tool/usage/notes.hpp"

namespace freshet::tool {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

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

std::string page() { return write_manual(sample(), sample().commands.front(), "2026-03-01"); }

TEST(manual, names_command_version_and_date) {
  EXPECT_THAT(page(), HasSubstr(".TH TOOL\\-CUT 1 2026-03-01 \"tool 1.2\""));
  EXPECT_THAT(page(), HasSubstr("tool\\-cut \\- cut it\n"));
}

TEST(manual, lists_arguments_and_options) {
  EXPECT_THAT(page(), HasSubstr(".TP\n\\fIFILE\\fR\nThe file.\n.TP\n\\fB\\-a\\fR, \\fB\\-\\-at\\fR \\fIN\\fR\n"));
  EXPECT_THAT(page(), HasSubstr("\\fBtool cut\\fR [\\fIOPTION\\fR\\&...] \\fIFILE\\fR"));
}

TEST(manual, escapes_what_roff_would_obey) {
  EXPECT_THAT(page(), HasSubstr("\n\\&.hidden files \\(aqand\\(aq quotes\n"));
  EXPECT_THAT(page(), HasSubstr("tool cut \\-\\-at 3\\(rsn\\fR\n"));
}

TEST(manual, has_no_line_that_a_reader_of_the_source_must_scroll_to) {
  program_description program = sample();
  for (int word = 0; word < 100; ++word) program.commands.front().options.front().help += " word";
  std::istringstream lines{write_manual(program, program.commands.front(), "2026-03-01")};
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(manual, of_the_program_lists_commands_and_variables) {
  const std::string all = write_manual(sample(), "2026-03-01");
  EXPECT_THAT(all, HasSubstr("\\fBtool\\-cut\\fR(1)\nCut it.\n"));
  EXPECT_THAT(all, HasSubstr(".SH ENVIRONMENT\n.TP\n\\fBTOOL_HOME\\fR\nWhere it lives.\n"));
  EXPECT_THAT(all, Not(HasSubstr(".SH EXAMPLES")));
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

TEST(manual, makes_lists_of_terms_with_meanings) {
  program_description program = sample();
  program.commands.front().notes = "Two ways:\n  fast   at once\n  slow   in the end\nNo list:\n  a line";
  const std::string text = write_manual(program, program.commands.front(), "2026-03-01");
  EXPECT_THAT(text, HasSubstr(".TP\n\\fBfast\\fR\nat once\n.TP\n\\fBslow\\fR\nin the end\n"));
  EXPECT_THAT(text, HasSubstr(".nf\na line\n.fi\n"));
}

TEST(notes, may_be_empty) {
  EXPECT_TRUE(split("").paragraphs.empty());
  EXPECT_TRUE(split("").examples.empty());
}

}  // namespace
}  // namespace freshet::tool
