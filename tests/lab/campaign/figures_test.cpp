// The figures that a campaign's steps leave: one table, one run in the store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/tool/command/measuring_command.hpp"

namespace freshet {
namespace {

namespace fs = std::filesystem;
using test::ended;
using testing::Contains;
using testing::ContainsRegex;
using testing::StartsWith;

class campaign_figures : public test::measuring_command {
 protected:
  void write_plan(const std::string& text) const { std::ofstream{file("plan.toml")} << "format = 1\n" << text; }
  ended run_on_store(std::vector<std::string> words) const {
    words.insert(words.end(), {"--store", file("store")});
    return freshet_.run(std::move(words));
  }
  ended run_plan() const { return run_on_store({"campaign", file("plan.toml")}); }
  nlohmann::json status() const { return json_of({"campaign", "status", "--store", file("store")}).at("campaign"); }
};

TEST_F(campaign_figures, ends_with_the_figures_of_its_steps_in_one_run) {
  fs::create_directory(file("letters"));
  for (const char* const name : {"a", "b"})
    std::ofstream{file("letters") + "/" + name} << std::string(500, 'x') << '\n';
  write_plan(
      "repetitions = 2\n[matrix]\nstrategy = ['streaming', 'buffering']\nthreads = [1, 2]\nwork = [0, 3]\n"
      "[[step]]\nfreshet = ['encrypt', 'letters', 'out', '--force', '--strategy', '{strategy}', '--threads', "
      "'{threads}', '--work', '{work}']\n");
  for (int campaign = 1; campaign <= 2; ++campaign) {
    const ended done = run_plan();
    ASSERT_EQ(done.exit_code, 0) << done.err;
    EXPECT_THAT(done.out, ContainsRegex("THREADS  STRATEGY +WORK 0 +WORK 3\n +1  buffering "));
    EXPECT_THAT(done.out, ContainsRegex("\n== Files line by line, letters, as found input\n"));
  }
  const nlohmann::json shown = status();
  for (const auto& step : shown.at("steps"))
    EXPECT_EQ(step.at("attempts").at(0).at("runs"), shown.at("steps").at(0).at("attempts").at(0).at("runs"));
  ASSERT_EQ(shown.at("figures").size(), 1U);
  const nlohmann::json& figures = shown.at("figures").at(0);
  EXPECT_EQ(figures.at("trials"), 16);
  EXPECT_THAT(figures.at("words").get<std::string>(), StartsWith("freshet encrypt letters out --force --strategy"));
  ASSERT_EQ(figures.at("groups").size(), 1U);
  EXPECT_EQ(figures.at("groups").at(0).at("cells").size(), 8U);
  for (const auto& cell : figures.at("groups").at(0).at("cells")) EXPECT_EQ(cell.at("trials"), 2);
  EXPECT_EQ(json_of({"history", "--store", file("store")}).at("runs").size(), 2U) << "one for each campaign";
  const nlohmann::json changes = json_of({"compare", "last~1", "last", "--store", file("store")});
  std::set<std::string> labels;
  for (const auto& each : changes.at("plans")) labels.insert(each.at("labels").at(1));
  EXPECT_EQ(labels.size(), 8U);
  EXPECT_THAT(labels, Contains("streaming, 2 threads, work 3"));
  EXPECT_EQ(run_on_store({"report", "--run", "last", "--out", file("page.html")}).exit_code, 0);
}

TEST_F(campaign_figures, keeps_runs_apart_that_are_no_repetitions) {
  fs::create_directories(file("d"));
  const std::string bench = "freshet = ['bench', 'd', '--method', 'buffered', '--rounds', '1', '--size', ";
  write_plan("repetitions = 2\norder = 'listed'\n[matrix]\nsize = ['64K', '128K']\n[[step]]\nname = 'sizes'\n" + bench +
             "'{size}']\n[[step]]\nname = 'again'\n" + bench + "'64K']\n");
  ASSERT_EQ(run_plan().exit_code, 0);
  const nlohmann::json shown = status();
  const auto runs_of = [&](std::size_t step) { return shown.at("steps").at(step).at("attempts").at(0).at("runs"); };
  EXPECT_NE(runs_of(0), runs_of(1)) << "other sizes are other tasks";
  EXPECT_NE(runs_of(0), runs_of(2)) << "another step";
  for (std::size_t step = 0; step < 3; ++step) EXPECT_EQ(runs_of(step), runs_of(step + 3)) << step;
  for (const auto& each : shown.at("figures")) EXPECT_EQ(each.at("trials"), 2);
  EXPECT_EQ(shown.at("figures").size(), 3U);
}

}  // namespace
}  // namespace freshet
