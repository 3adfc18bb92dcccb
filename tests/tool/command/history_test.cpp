// `freshet history`, written to a file and to a terminal.
#include <gmock/gmock.h>
#include <stdlib.h>

#include <algorithm>
#include <sstream>

#include "tests/support/golden.hpp"
#include "tests/tool/store/kept_trials.hpp"
#include "tool/report/screen.hpp"

namespace freshet {
namespace {

using test::ended;
using test::kept_trials;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<double> usual{1.00, 1.01, 0.99, 1.02, 0.98};
const std::vector<double> slow{2.00, 2.01, 1.99, 2.02, 1.98};

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();  // a terminal adds them
    widest = std::max(widest, tool::display_width(line));
  }
  return widest;
}

bool has_colours(const std::string& text) { return text.find('\x1b') != std::string::npos; }

void expect_to_fit(const std::string& text) { EXPECT_LE(widest_line(text), 80U) << "wider than a terminal: " << text; }

class history_command : public testing::Test {
 protected:
  void SetUp() override {
    kept_.add_run(1, {{kept_trials::plan("uring", 4096, 2), usual},
                      {kept_trials::plan("direct", 4096), slow},
                      {kept_trials::plan("mmap"), usual, "the content differs"}});
    kept_.add_run(3, {{kept_trials::plan("buffered"), usual}}, "xfs");
  }

  // What a terminal shows of `history`, with one more variable in the environment.
  [[nodiscard]] std::string shown(const std::string& setting, const std::string& value) const {
    ::setenv(setting.c_str(), value.c_str(), 1);
    const ended done = kept_.command().run_shown({"history", "--run", "1", "--store", kept_.path()});
    ::unsetenv(setting.c_str());
    EXPECT_EQ(done.exit_code, 0);
    return done.out;
  }

  kept_trials kept_;
};

TEST_F(history_command, lists_runs) {
  const ended done = kept_.run({"history"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_TRUE(test::is_golden("tool/command/screens/history.txt", done.out));
  expect_to_fit(done.out);
}

TEST_F(history_command, names_the_winner_that_the_run_named) {
  kept_.add_run(5, {{kept_trials::plan("buffered"), usual}, {kept_trials::plan("writebehind"), {0.50}}}, "btrfs");
  const nlohmann::json last = kept_.json({"history", "--run", "last"}).at("runs").at(0);
  EXPECT_EQ(last.at("trials"), 6);
  EXPECT_EQ(last.at("fastest").at(0).at("label"), "buffered 256 KiB");
  EXPECT_EQ(last.at("groups").at(0).at("ranking").at(0).at("label"), "buffered 256 KiB");
}

TEST_F(history_command, lists_selected_runs) {
  const auto listed = [&](const std::string& option, const std::string& value) {
    std::vector<std::string> file_systems;
    const nlohmann::json json = kept_.json({"history", option, value});
    for (const nlohmann::json& each : json.at("runs")) file_systems.push_back(each.at("environment").at("file_system"));
    return file_systems;
  };
  EXPECT_THAT(listed("--since", "2026-03-02"), ElementsAre("xfs"));
  EXPECT_THAT(listed("--directory", "/data/ext4/"), ElementsAre("ext4"));
  EXPECT_THAT(listed("--command", "bench"), ElementsAre("ext4", "xfs"));
  const ended none = kept_.run({"history", "--command", "tune"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, HasSubstr("no stored run matches the options"));
}

TEST_F(history_command, ranks_the_methods_of_a_run) {
  const ended done = kept_.run({"history", "--run", "1"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_FALSE(has_colours(done.out));
  expect_to_fit(done.out);
  const nlohmann::json run = kept_.json({"history", "--run", "1"}).at("runs").at(0);
  EXPECT_EQ(run.at("environment").at("machine"), "x86_64 Sample Processor 9000");
  EXPECT_EQ(run.at("environment").at("kernel"), "6.1.1");
  EXPECT_EQ(run.at("invalid"), 5);
  const nlohmann::json& ranking = run.at("groups").at(0).at("ranking");
  ASSERT_EQ(ranking.size(), 2U);
  EXPECT_EQ(ranking[0].at("label"), "uring 4 KiB x 2");
  EXPECT_EQ(ranking[1].at("label"), "direct 4 KiB");
  EXPECT_NEAR(ranking[1].at("ratio"), 2, 1e-9);
}

TEST_F(history_command, fits_each_terminal) {
  const std::string long_name = "uring-buffered 256 KiB x 64";
  kept_.add_run(7, {{kept_trials::plan("buffered"), usual}, {kept_trials::plan("uring-buffered", 262144, 64), slow}});
  for (const unsigned short columns : std::initializer_list<unsigned short>{60, 80, 100}) {
    const ended result = kept_.command().run_shown({"history", "--run", "last", "--store", kept_.path()}, columns);
    EXPECT_LE(widest_line(result.out), columns);
    EXPECT_GT(widest_line(result.out), columns - 20U);
    EXPECT_THAT(result.out, HasSubstr("   " + long_name));
  }
}

TEST_F(history_command, writes_everything_as_json) {
  const auto json = kept_.json({"history"});
  ASSERT_EQ(json.at("runs").size(), 2U);
  const auto& first = json.at("runs")[0];
  EXPECT_EQ(first.at("id"), 1);
  EXPECT_EQ(first.at("trials"), 15);
  EXPECT_EQ(first.at("invalid"), 5);
  EXPECT_EQ(first.at("fastest")[0].at("label"), "uring 4 KiB x 2");
  EXPECT_EQ(kept_.json({"history", "--run", "last"}).at("runs")[0].at("all_trials").size(), 5U);
}

TEST_F(history_command, has_colours_only_on_a_terminal) {
  const std::string text = shown("TERM", "xterm");
  EXPECT_TRUE(has_colours(text)) << text;
  expect_to_fit(text);
}

TEST_F(history_command, has_no_colours_if_NO_COLOR_is_set) {
  EXPECT_FALSE(has_colours(shown("NO_COLOR", "1")));
  EXPECT_FALSE(has_colours(shown("TERM", "dumb")));
}

TEST_F(history_command, draws_bars_as_the_locale_allows) {
  const auto is_ascii = [](const std::string& text) {
    return std::ranges::all_of(text, [](char each) { return static_cast<unsigned char>(each) < 0x80; });
  };
  EXPECT_TRUE(is_ascii(shown("LC_ALL", "C")));
  EXPECT_FALSE(is_ascii(shown("LC_ALL", "C.UTF-8")));
}

TEST_F(history_command, refuses_unknown_names) {
  const ended missing = kept_.run({"history", "--run", "9"});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, HasSubstr("there is no run 9"));
  const ended wrong = kept_.run({"history", "--run", "first"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("\"first\" is not a run"));
  EXPECT_EQ(kept_.run({"history", "--since", "March"}).exit_code, 2);
}

TEST(history_without_a_store, says_so) {
  const test::freshet_command freshet;
  const ended done = freshet.run({"history"});
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("nothing was measured yet: the store does not exist"));
}

}  // namespace
}  // namespace freshet
