// Options of `freshet bench` as axes, and published experiments.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/tool/command/measuring_command.hpp"

namespace freshet {
namespace {

using test::ended;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class bench_options_command : public test::measuring_command {
 protected:
  bench_options_command() : measuring_command{test::disk_place()} {}  // memory has neither extents nor a page cache

  [[nodiscard]] std::vector<std::string> bench(const std::vector<std::string>& more) const {
    std::vector<std::string> words{"bench",    directory(), "--no-store", "--size", "64K",
                                   "--rounds", "2",         "--memory",   "left"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  [[nodiscard]] ended run(const std::vector<std::string>& more) const { return freshet_.run(bench(more)); }
  [[nodiscard]] nlohmann::json json(const std::vector<std::string>& more) const { return json_of(bench(more)); }
};

TEST_F(bench_options_command, vary_and_are_told_apart) {
  const nlohmann::json result = json({"--method", "buffered,writebehind", "--reserve=on,off"});
  EXPECT_EQ(result.at("trials").size(), 8U);
  for (const nlohmann::json& trial : result.at("trials")) EXPECT_GT(trial.at("cold_read"), 0);
  ASSERT_EQ(result.at("effects").size(), 1U);
  const nlohmann::json& effect = result.at("effects")[0];
  EXPECT_EQ(effect.at("option"), "reserve");
  EXPECT_EQ(effect.at("base"), "off");
  ASSERT_EQ(effect.at("cells").size(), 2U);
  for (const nlohmann::json& cell : effect.at("cells")) {
    EXPECT_GT(cell.at("ratio"), 0);
    for (const nlohmann::json& extents : cell.at("extents")) EXPECT_EQ(extents, 1);
  }
}

TEST_F(bench_options_command, keep_their_meaning_as_bare_flags) {
  const nlohmann::json result = json({"--method", "buffered", "--reserve"});
  EXPECT_EQ(result.at("trials").size(), 2U);
  for (const nlohmann::json& trial : result.at("trials")) {
    EXPECT_EQ(trial.at("plan").at("reserve"), true);
    EXPECT_TRUE(trial.at("cold_read").is_null());
  }
  EXPECT_TRUE(result.at("effects").empty());
  const nlohmann::json unordered = json({"--method", "buffered", "--unordered", "--size-ahead"}).at("trials")[0];
  EXPECT_EQ(unordered.at("plan").at("ordered"), false);
  EXPECT_EQ(unordered.at("plan").at("size_ahead"), true);
}

TEST_F(bench_options_command, choose_what_the_page_cache_keeps) {
  const nlohmann::json result = json({"--caching", "keep,drop", "--access", "sequential,once"});
  std::set<std::string> plans;
  for (const nlohmann::json& trial : result.at("trials")) {
    EXPECT_EQ(trial.at("plan").at("method"), "auto");
    plans.insert(trial.at("plan").at("caching").get<std::string>() + " " +
                 trial.at("plan").value("access", "sequential"));
    EXPECT_EQ(trial.at("page_cache") > 0, trial.at("plan").at("caching") == "keep") << trial.at("plan");
  }
  EXPECT_THAT(plans, UnorderedElementsAre("keep sequential", "keep once", "drop sequential", "drop once"));
}

TEST_F(bench_options_command, tell_the_first_file_of_a_process_from_later_ones) {
  const nlohmann::json result = json({"--prior", "none,process", "--durability", "none,at_close"});
  std::set<std::string> plans;
  for (const nlohmann::json& trial : result.at("trials")) {
    EXPECT_EQ(trial.at("plan").at("method"), "adaptive");
    const std::string prior = trial.at("plan").value("prior", "none");
    const auto bytes = trial.at("bytes").get<std::uint64_t>();
    const auto size = trial.at("plan").at("size").get<std::uint64_t>();
    EXPECT_EQ(trial.at("bytes_written"), prior == "process" ? bytes + size : bytes);
    plans.insert(prior + " " + trial.at("plan").at("class").get<std::string>());
  }
  EXPECT_THAT(plans, UnorderedElementsAre("none none", "process none", "none at_close", "process at_close"));
}

TEST_F(bench_options_command, are_refused_where_they_mean_nothing) {
  const ended caching = run({"--method", "uring", "--caching", "drop"});
  EXPECT_EQ(caching.exit_code, 1);
  EXPECT_THAT(caching.err, HasSubstr("--caching needs the method auto"));
  const ended prior = run({"--method", "direct", "--prior", "profile"});
  EXPECT_EQ(prior.exit_code, 1);
  EXPECT_THAT(prior.err, HasSubstr("--prior profile needs the method adaptive"));
  const ended nothing = run({"--prior", "profile"});
  EXPECT_EQ(nothing.exit_code, 1);
  EXPECT_THAT(nothing.err, HasSubstr("no profile has a way for the class none here"));
  const ended stranger = run({"--method", "stdio", "--prior", "process"});
  EXPECT_THAT(stranger.err, HasSubstr("knows nothing of other files"));
  const ended value = run({"--reserve=maybe"});
  EXPECT_EQ(value.exit_code, 2);
  EXPECT_THAT(value.err, HasSubstr("\"maybe\" is not on or off"));
  EXPECT_EQ(run({"--size-ahead"}).exit_code, 2);
}

TEST_F(bench_options_command, of_an_experiment_are_its_own) {
  for (const std::vector<std::string>& own :
       {std::vector<std::string>{"--method", "uring"}, {"--reserve"}, {"--unordered"}, {"--against", "freshet"}}) {
    std::vector<std::string> words{"--preset", "w1"};
    words.insert(words.end(), own.begin(), own.end());
    const ended done = run(words);
    EXPECT_EQ(done.exit_code, 2) << own.front();
    EXPECT_THAT(done.err, HasSubstr("--preset: it has ways and options of its own")) << own.front();
  }
  const ended too_much = run({"--preset", "w1", "--max-bytes", "64K"});
  EXPECT_EQ(too_much.exit_code, 1);
  EXPECT_THAT(too_much.err, HasSubstr(test::has_command("peers") ? "--max-bytes" : "was built without peers"));
  EXPECT_TRUE(nothing_left());
}

}  // namespace
}  // namespace freshet
