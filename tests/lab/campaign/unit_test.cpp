// The systemd unit of a campaign with reboots: what it says, that it appears whole, and that it goes away.
#include "lab/campaign/unit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <freshet/error.hpp>

#include "tests/support/file_content.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/temporary_directory.hpp"

namespace freshet {
namespace {

namespace fs = std::filesystem;
using test::content_of;
using test::is_golden;

const std::vector<std::string> words{"/usr/bin/freshet", "campaign", "resume", "--boot", "--store", "/var/a b/50%/s"};

TEST(a_unit, goes_on_at_boot_unless_it_is_stopped) {
  const std::string text = tool::format_unit("nightly", words, "/var/a b/50%/s", "/var/a b/50%/s.stop");
  EXPECT_TRUE(is_golden("lab/campaign/screens/unit.service", text));
}

TEST(a_unit, holds_no_other_directive_whatever_its_words_are) {
  const std::string text = tool::format_unit("x\nExecStart=/bin/evil", {"a\"b\\c$d"}, "/s", "/s.stop");
  std::vector<std::string> starts;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("ExecStart=")) starts.push_back(line);
  EXPECT_THAT(starts, testing::ElementsAre(R"(ExecStart="a\"b\\c$$d")"));
}

TEST(a_unit, is_installed_and_removed) {
  const test::temporary_directory directory;
  const fs::path file = tool::install_unit(directory.path(), "text\n");
  EXPECT_EQ(file, directory / "freshet-campaign.service");
  EXPECT_EQ(content_of(file), "text\n");
  EXPECT_EQ(fs::read_symlink(directory / "multi-user.target.wants/freshet-campaign.service"), file);
  EXPECT_THROW(tool::install_unit(directory.path(), "another\n"), error) << "another campaign's";
  EXPECT_EQ(content_of(file), "text\n");
  tool::remove_unit(file);
  EXPECT_FALSE(fs::exists(file));
  EXPECT_FALSE(fs::exists(fs::symlink_status(tool::link_of_unit(file))));
  tool::remove_unit(file);  // as after a power cut in the middle
}

TEST(a_unit, is_removed_whatever_is_left_of_it) {
  const test::temporary_directory directory;
  const fs::path file = tool::install_unit(directory.path(), "text\n");
  fs::remove(file);
  tool::remove_unit(file);
  EXPECT_FALSE(fs::exists(fs::symlink_status(tool::link_of_unit(file))));
}

TEST(a_unit, cannot_be_installed_where_there_is_no_directory) {
  const test::temporary_directory directory;
  EXPECT_THROW(tool::install_unit(directory / "missing", "text\n"), error);
}

}  // namespace
}  // namespace freshet
