// Stores of random trials: all outputs tell the same ratios, ranges and standings.
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/soak.hpp"
#include "tests/tool/store/kept_trials.hpp"

namespace freshet {
namespace {

using nlohmann::json;
using test::kept_plan;
using test::kept_trials;

/// How a way compares, as an output tells it.
struct told_figures {
  std::string rank_class;
  double rate = 0;   // MB/s
  double ratio = 1;  // times as long
  double low = 0;    // 0: no range
  double high = 0;
  std::string against = {};  // the way that it is compared with, where the output says it
};

using told_ways = std::map<std::string, told_figures>;

/// A run of some methods, each in some of its rounds, with noise of its own; some trials are outliers.
std::vector<kept_plan> draw_plans(std::mt19937_64& random) {
  std::vector<kept_plan> plans;
  std::lognormal_distribution<double> speed{0, 0.3};
  std::lognormal_distribution<double> noise{0, 0.02 * static_cast<double>(1 + random() % 10)};
  const std::size_t rounds = 1 + random() % 12;
  for (const char* const method : {"buffered", "direct", "uring", "mmap", "aio"}) {
    if (random() % 5 == 0) continue;
    kept_plan plan{.plan = kept_trials::plan(method), .seconds = {}};
    const double usual = speed(random);
    const std::size_t own = random() % 3 == 0 ? 1 + random() % rounds : rounds;  // it may have left early
    for (std::size_t round = 0; round < own; ++round)
      plan.seconds.push_back(usual * noise(random) * (random() % 20 == 0 ? 3 : 1));
    if (random() % 8 == 0) plan.reason = "the content differs";
    plans.push_back(plan);
  }
  return plans.empty() ? draw_plans(random) : plans;  // a run without trials is no run
}

class same_figures : public testing::Test {
 protected:
  [[nodiscard]] json group_of(const std::string& run) const {
    const json all = kept_.json({"history", "--run", run});
    for (const json& group : all.at("runs").at(0).at("groups"))
      if (group.at("role") == "contest") return group;
    return {{"ranking", json::array()}};
  }

  [[nodiscard]] told_ways of_history(const std::string& run) const {
    told_ways ways;
    const json group = group_of(run);
    for (const json& way : group.at("ranking")) {
      const bool has_range = !way.at("interval").at(1).is_null() && way.at("standing") != "pick";
      ways[way.at("label")] = {way.at("standing"),
                               way.at("mb_per_second"),
                               way.at("ratio"),
                               has_range ? way.at("interval").at(0).get<double>() : 0,
                               has_range ? way.at("interval").at(1).get<double>() : 0,
                               way.at("against")};
    }
    return ways;
  }

  [[nodiscard]] told_ways of_page(const std::string& run) const {
    const std::string page = kept_.run({"report", "--run", run, "--out", "-"}).out;
    const std::string begin = R"(id="report-data">)";
    const std::size_t from = page.find(begin) + begin.size();
    const json data = json::parse(page.substr(from, page.find("</script>", from) - from));
    told_ways ways;
    for (const json& row : data.at("rows")) {
      if (!row.contains("standing")) continue;
      const json& group = data.at("groups").at(row.at("group").get<std::size_t>());
      const json& ratio = row.at("ratio");
      told_figures way{row.at("standing"), row.at(group.at("clock").get<std::string>()).at(0), ratio.at(0)};
      if (ratio.size() > 1 && !ratio.at(2).is_null() && way.rank_class != "pick")
        way.low = ratio.at(1), way.high = ratio.at(2);
      ways[row.at("label")] = way;
    }
    return ways;
  }

  /// The rows of the ranking: mark, label, MB/s, bar, time, range, CPU.
  [[nodiscard]] told_ways of_terminal(const std::string& run) const {
    told_ways ways;
    std::istringstream lines{kept_.run({"history", "--run", run}).out};
    const std::regex row{
        R"(^([ >=?])  (\S.*?)  +([0-9.]+)  [-#━┅]* +([0-9]+\.[0-9]{2}) +(?:([0-9.]+)-([0-9.]+) +)?([0-9.]+)$)"};
    std::smatch found;
    for (std::string line; std::getline(lines, line);) {
      if (!std::regex_match(line, found, row)) continue;
      told_figures way{found[1], std::stod(found[3]), std::stod(found[4])};
      if (found[5].matched) way.low = std::stod(found[5]), way.high = std::stod(found[6]);
      ways[found[2]] = way;
    }
    return ways;
  }

  kept_trials kept_;
};

void expect_near(double expected, double told, double error) {
  EXPECT_LE(std::abs(told - expected), error * std::max(1.0, expected)) << told << " where " << expected << " is told";
}

void expect_same(const told_ways& expected, const told_ways& told, double error, const std::string& where) {
  EXPECT_EQ(expected.size(), told.size()) << where;
  for (const auto& [label, way] : expected) {
    SCOPED_TRACE(where + ": " + label);
    const auto other = told.find(label);
    if (other == told.end()) {
      ADD_FAILURE() << "missing";
      continue;
    }
    expect_near(way.rate, other->second.rate, 10 * error);
    expect_near(way.ratio, other->second.ratio, error);
    expect_near(way.low, other->second.low, error);
    if (way.low > 0) expect_near(way.high, other->second.high, error);
  }
}

TEST_F(same_figures, stand_in_history_on_the_terminal_in_json_on_the_page_and_in_compare) {
  std::mt19937_64 random{test::sample_seed()};
  constexpr unsigned stores = 12;
  for (unsigned day = 1; day <= stores; ++day) {
    const std::string run = std::to_string(kept_.add_run(day, draw_plans(random)));
    SCOPED_TRACE("run " + run);
    const told_ways history = of_history(run);
    const told_ways page = of_page(run);
    const told_ways terminal = of_terminal(run);
    constexpr double rounded = 0.0051;
    constexpr double exact = 1e-5;
    expect_same(history, page, exact, "page");
    expect_same(history, terminal, rounded, "terminal");
    const std::map<std::string, std::string> marks{
        {"pick", ">"}, {"leading", "="}, {"left_early", "?"}, {"slower", " "}};
    for (const auto& [label, way] : history) {
      EXPECT_EQ(page.at(label).rank_class, way.rank_class) << label;
      EXPECT_EQ(terminal.at(label).rank_class, marks.at(way.rank_class)) << label;
      if (way.rank_class == "pick") continue;
      const auto method = [](const std::string& name) { return name.substr(0, name.find(' ')); };
      const json compared = kept_.json({"compare", method(way.against), method(label), "--run", run}).at("plans").at(0);
      expect_near(way.ratio, compared.at("ratio"), exact);
      expect_near(way.low, compared.at("interval").at(0), exact);
      if (way.low > 0) expect_near(way.high, compared.at("interval").at(1), exact);
    }
  }
}

}  // namespace
}  // namespace freshet
