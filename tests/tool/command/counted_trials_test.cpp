// The page, the terminal, JSON and the exports show the same figures of the same trials.
#include <SQLiteCpp/Database.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <stdlib.h>

#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/soak.hpp"
#include "tests/tool/command/measuring_command.hpp"
#include "tool/base/text.hpp"

namespace freshet {
namespace {

using nlohmann::json;
using test::content_of;
using test::ended;

/// Where figures stand for: "none", "uring 4 MiB x 2", bytes per file.
using plan_key = std::tuple<std::string, std::string, std::uint64_t>;

struct plan_figures {
  std::size_t trials = 0;  ///< that count
  double rate = 0;         ///< median MB/s
  std::optional<std::array<double, 2>> range = {};
};

using all_figures = std::map<plan_key, plan_figures>;

constexpr double exact = 1e-4;
constexpr double three_digits = 0.02;

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// The terminal names the baseline as programmers do, and only exports say the usual state of memory behind each plan.
all_figures with_plain_names(const all_figures& all) {
  all_figures named;
  for (const auto& [key, figures] : all) {
    const auto& [measured_class, label, size] = key;
    const std::string plain = tool::replaced(label, ", memory left", "");
    named[{measured_class, plain == "ofstream" ? "std::ofstream" : plain, size}] = figures;
  }
  return named;
}

// Figures for people have three digits.
void expect_same(const all_figures& some, const all_figures& others, const std::string& where, double digits) {
  const all_figures expected = with_plain_names(some);
  const all_figures found = with_plain_names(others);
  EXPECT_EQ(expected.size(), found.size()) << where;
  for (const auto& [key, figures] : expected) {
    const auto& [measured_class, label, size] = key;
    SCOPED_TRACE(where + ": " + measured_class + ", " + label + ", " + std::to_string(size));
    const auto other = found.find(key);
    if (other == found.end()) {
      ADD_FAILURE() << "missing";
      continue;
    }
    EXPECT_EQ(figures.trials, other->second.trials);
    EXPECT_NEAR(figures.rate, other->second.rate, digits * figures.rate);
    if (!other->second.range) continue;
    ASSERT_TRUE(figures.range);
    for (const std::size_t end : {0U, 1U})
      EXPECT_NEAR((*figures.range)[end], (*other->second.range)[end], digits * (*figures.range)[end]);
  }
}

// Without what explains the machine.
bool is_ranked(const std::string& title) { return title.find("for comparison") == std::string::npos; }

std::uint64_t size_of(const std::string& word) {
  return static_cast<std::uint64_t>(std::stod(word) * (1 << 20));  // all sizes here are MiB
}

all_figures of_hyperfine(const json& exported) {
  all_figures all;
  const std::regex title{"(.*): text, ([a-z_]+), ([0-9.]+) MiB"};
  for (const json& result : exported.at("results")) {
    const std::string command = result.at("command");
    std::smatch found;
    if (!is_ranked(command) || !std::regex_match(command, found, title)) continue;
    std::vector<double> rates;
    const std::uint64_t size = size_of(found[3]);
    for (const double seconds : result.at("times")) rates.push_back(static_cast<double>(size) / seconds / 1e6);
    all[{found[2], found[1], size}] = {rates.size(), median_of(rates)};
  }
  return all;
}

all_figures of_benchmark(const json& exported) {
  std::map<plan_key, std::vector<double>> rates;
  const std::regex name{"text/([a-z_]+)/.*/size:([0-9]+).*"};
  for (const json& entry : exported.at("benchmarks")) {
    const std::string title = entry.at("name");
    std::smatch found;
    if (entry.at("run_type") != "iteration" || title.find("for_comparison") != std::string::npos) continue;
    if (!std::regex_match(title, found, name)) continue;
    rates[{found[1], entry.at("label"), std::stoull(found[2])}].push_back(entry.at("bytes_per_second").get<double>() /
                                                                          1e6);
  }
  all_figures all;
  for (const auto& [key, some] : rates) all[key] = {some.size(), median_of(some)};
  return all;
}

all_figures of_markdown(const std::string& text) {
  all_figures all;
  std::istringstream lines{text};
  const std::regex heading{"## text, (.*)"};
  const std::regex row{
      R"(\| ([^|(]*?) \| ([0-9.]+) MiB \| ([0-9.]+) \| ([0-9.]+)?(?:–([0-9.]+))? \| [0-9.]+ \| ([0-9]+) \| [0-9]+ \|)"};
  std::string measured_class;
  std::smatch found;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, found, heading))
      measured_class = std::regex_replace(found[1].str(), std::regex{"\\\\"}, "");
    if (!std::regex_match(line, found, row)) continue;
    plan_figures figures{std::stoul(found[6]), std::stod(found[3])};
    if (found[5].matched) figures.range = {std::stod(found[4]), std::stod(found[5])};
    all[{measured_class, found[1], size_of(found[2])}] = figures;
  }
  return all;
}

std::string answers_of(const json& groups) {
  std::string all;
  for (const json& group : groups) all += "\n  " + group.value("answer", json()).dump();
  return all;
}

/// A store of real trials: a bench of three classes, a bench of other sizes and a tune, which warms up.
class counted_trials : public test::measuring_command {
 protected:
  void SetUp() override {
    run({"bench", directory(), "--method", "buffered,writebehind,direct", "--class", "none,at_close,warm", "--size",
         "3M", "--rounds", "7", "--memory", "rested"});
    run({"bench", directory(), "--method", "buffered", "--size", "2M", "--rounds", "1", "--memory", "rested"});
    tune_until_a_trial_counts();
    SQLite::Database opened{store_, SQLite::OPEN_READWRITE};
    // What a busy machine makes of the trials is not the question here; they are of every kind, one by one.
    opened.exec("UPDATE trials SET met_slow_memory = 0, verdict = 'valid', reasons = '[]'");
    EXPECT_EQ(
        opened.exec("UPDATE trials SET verdict = 'invalid', reasons = '[\"planted\"]' WHERE run = 1 AND round = 2 "
                    "AND plan_class = 'none'"),
        3);
    EXPECT_EQ(opened.exec("UPDATE trials SET more = '{\"warm_up\": true}', seconds_to_close = 1e-6 WHERE run = 1 AND "
                          "round = 3 AND plan_class = 'warm' AND compared = 'buffered'"),
              1);
    EXPECT_GT(opened
                  .execAndGet("SELECT count(*) FROM trials WHERE run = " + tuned_run_ +
                              " AND json_extract(more, '$.warm_up')")
                  .getInt(),
              0);
  }

  /// On a busy machine, warming up takes all of a short budget.
  void tune_until_a_trial_counts() {
    int counted = 0;
    for (int seconds = 4; counted == 0 && seconds < 100; seconds *= 2) {
      run({"tune", directory(), "--dry-run", "--size", "4M", "--time", std::to_string(seconds) + "s", "--class",
           "none"});
      SQLite::Database opened{store_};
      tuned_run_ = opened.execAndGet("SELECT max(id) FROM runs").getString();
      counted = opened
                    .execAndGet(
                        "SELECT count(*) FROM trials WHERE coalesce(json_extract(more, '$.warm_up'), "
                        "json_extract(more, '$.baseline'), json_extract(more, '$.program'), "
                        "json_extract(more, '$.diagnosis')) IS NULL AND run = " +
                        tuned_run_)
                    .getInt();
    }
    ASSERT_GT(counted, 0);
  }

  void run(std::vector<std::string> words) {
    words.insert(words.end(), {"--store", store_});
    const ended done = freshet_.run(std::move(words));
    EXPECT_TRUE(done.exit_code == 0 || done.err.find("no valid trial") != std::string::npos) << done.err;
  }

  std::string shown(std::vector<std::string> words) {
    words.insert(words.end(), {"--store", store_});
    const ended done = freshet_.run(std::move(words));
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return done.out;
  }

  /// The trials of `buffered` in run 1 that count, by SQL.
  std::size_t counted_in_store(const std::string& measured_class) const {
    SQLite::Database opened{store_};
    return opened
        .execAndGet(
            "SELECT count(*) FROM trials WHERE run = 1 AND compared = 'buffered' AND verdict <> 'invalid' AND "
            "NOT coalesce(json_extract(more, '$.warm_up'), 0) AND plan_class = '" +
            measured_class + "'")
        .getUInt();
  }

  json exported(const std::string& run, const std::string& kind) {
    return json::parse(shown({"history", "--run", run, "--export", kind, "-"}));
  }

  /// What the page shows as ranked, of one run.
  all_figures of_page(const std::string& run) {
    const std::string page = shown({"report", "--run", run, "--out", "-"});
    const std::string begin = R"(id="report-data">)";
    const std::size_t from = page.find(begin) + begin.size();
    const json data = json::parse(page.substr(from, page.find("</script>", from) - from));
    all_figures all;
    for (const json& row : data.at("rows")) {
      const json& group = data.at("groups").at(row.at("group").get<std::size_t>());
      if (group.at("role") != "contest" || row.at("used") == 0) continue;
      const json& rate = row.at(group.at("clock").get<std::string>());
      plan_figures figures{row.at("used"), rate.at(0)};
      EXPECT_EQ(rate.size() > 1, figures.trials > 1) << "one trial has no range";
      EXPECT_EQ(rate.size() > 3, figures.trials >= 6) << "six trials have an interval";
      if (rate.size() > 1) figures.range = {rate.at(1), rate.at(2)};
      all[{group.at("class"), row.at("label"), row.at("size")}] = figures;
    }
    return all;
  }

  all_figures of_json(const std::string& run) {
    all_figures all;
    const json data = json::parse(shown({"history", "--run", run, "--json", "-"}));
    for (const json& group : data.at("runs").at(0).at("groups")) {
      if (group.at("role") != "contest") continue;
      for (const json& row : group.at("ranking"))
        all[{group.at("class"), row.at("label"), row.at("size")}] = {
            row.at("trials"), row.at("mb_per_second"), {{row.at("range").at(0), row.at("range").at(1)}}};
    }
    return all;
  }

  /// The terminal's tables of one run whose files have one size.
  all_figures of_terminal(const std::string& run, std::uint64_t size) {
    all_figures all;
    std::istringstream lines{shown({"history", "--run", run})};
    const std::regex heading{"== ([a-z_]+): .*"};
    const std::regex row{R"(^[ >=?]  (\S.*?)  +([0-9.]+)  .*  ([0-9]+)( x .*)?$)"};
    std::string measured_class;
    std::smatch found;
    for (std::string line; std::getline(lines, line);) {
      if (std::regex_match(line, found, heading)) measured_class = found[1];
      for (const char* const unranked : {"for comparison", "by processes of their own"})
        if (line.find(unranked) != std::string::npos) measured_class.clear();
      if (measured_class.empty() || !std::regex_match(line, found, row)) continue;
      all[{measured_class, found[1], size}] = {std::stoul(found[3]), std::stod(found[2])};
    }
    return all;
  }

  void expect_the_same_everywhere(const std::string& run, std::uint64_t size) {
    SCOPED_TRACE("run " + run);
    const all_figures page = of_page(run);
    EXPECT_FALSE(page.empty());
    expect_same(of_json(run), page, "page", exact);
    expect_same(page, of_terminal(run, size), "terminal", three_digits);
    expect_same(page, of_hyperfine(exported(run, "hyperfine")), "hyperfine", exact);
    expect_same(page, of_benchmark(exported(run, "benchmark")), "benchmark", exact);
    expect_same(page, of_markdown(shown({"history", "--run", run, "--export", "markdown", "-"})), "markdown",
                three_digits);
  }

  std::string tuned_run_;
  test::temporary_directory outputs_;
  const std::string store_ = (outputs_.path() / "trials.sqlite").string();
};

// Takes 6 s: two benches and a tune.
TEST_F(counted_trials, are_the_same_on_the_page_on_the_terminal_in_json_and_in_exports) {
  for (const auto& [run, size] :
       std::vector<std::pair<std::string, std::uint64_t>>{{"1", 3 << 20}, {"2", 2 << 20}, {tuned_run_, 4 << 20}})
    expect_the_same_everywhere(run, size);
  const all_figures first = of_page("1");
  for (const char* const measured_class : {"none", "at_close", "warm"}) {
    const std::size_t trials = first.at({measured_class, "buffered 256 KiB", 3 << 20}).trials;
    EXPECT_EQ(trials, counted_in_store(measured_class)) << measured_class;
    EXPECT_LE(trials, measured_class == std::string{"at_close"} ? 7U : 6U) << "one was invalid, or a warm-up";
  }
}

// Disturbed trials took four times as long. Of seven, some have six others and some have fewer.
TEST_F(counted_trials, are_the_same_whatever_became_of_the_trials) {
  SQLite::Database opened{store_, SQLite::OPEN_READWRITE};
  const std::string times = "seconds_to_close = seconds_to_close * 4, seconds_to_disk = seconds_to_disk * 4";
  EXPECT_GT(opened.exec("UPDATE trials SET verdict = 'disturbed', reasons = '[\"planted\"]', " + times +
                        " WHERE run = 1 AND verdict = 'valid' AND (round = 1 OR (plan_class = 'warm' AND round > 3))"),
            0);
  EXPECT_GT(opened.exec("UPDATE trials SET verdict = 'unknown' WHERE run = 1 AND verdict = 'valid' AND round = 5"), 0);
  expect_the_same_everywhere("1", 3 << 20);
  const all_figures all = of_page("1");
  EXPECT_EQ(all.at({"at_close", "buffered 256 KiB", 3 << 20}).trials, 6U) << "six that nothing disturbed";
  EXPECT_EQ(all.at({"none", "buffered 256 KiB", 3 << 20}).trials, 6U) << "one invalid, and too few undisturbed ones";
}

// Whatever the trials are, in stores by chance.
TEST_F(counted_trials, are_the_same_in_random_stores) {
  SQLite::Database opened{store_, SQLite::OPEN_READWRITE};
  std::mt19937_64 random{test::sample_seed()};
  const std::array outcomes{"verdict = 'valid', reasons = '[]', more = '{}'",
                            "verdict = 'valid', reasons = '[]', more = '{}'",
                            "verdict = 'disturbed', reasons = '[\"planted\"]', more = '{}'",
                            "verdict = 'invalid', reasons = '[\"planted\"]', more = '{}'",
                            "verdict = 'unknown', reasons = '[]', more = '{}'",
                            "verdict = 'valid', reasons = '[]', more = '{\"warm_up\": true}'"};
  for (int store = 0; store < (test::is_complete() ? 100 : 5); ++store) {
    SCOPED_TRACE(store);
    for (int id = 1; id <= opened.execAndGet("SELECT max(id) FROM trials WHERE run = 1").getInt(); ++id) {
      const double times = std::uniform_real_distribution{0.5, 2.0}(random);
      opened.exec(
          fmt::format("UPDATE trials SET {}, seconds_to_close = seconds_to_close * {}, seconds_to_disk = "
                      "seconds_to_disk * {} WHERE run = 1 AND id = {}",
                      outcomes.at(random() % outcomes.size()), times, times, id));
    }
    expect_the_same_everywhere("1", 3 << 20);
  }
}

TEST_F(counted_trials, of_two_sizes_stand_apart_on_the_page_of_both) {
  const std::string page = shown({"report", "--run", "1", "2", "--out", "-"});
  EXPECT_NE(page.find("Text, durability none, 3 MiB"), std::string::npos);
  EXPECT_NE(page.find("Text, durability none, 2 MiB"), std::string::npos);
}

TEST_F(counted_trials, have_one_answer_wherever_it_is_told) {
  const auto compare = [&](const std::vector<std::string>& words) {
    const json told = json::parse(shown(words));
    const json groups = json::parse(shown({"history", "--run", "last", "--json", "-"})).at("runs").at(0).at("groups");
    const std::string page = shown({"report", "--run", "last", "--out", "-"});
    std::size_t answers = 0;
    for (const json& verdict : told.at("verdicts")) {
      if (verdict.at("answer").is_null()) continue;
      ++answers;
      EXPECT_TRUE(std::ranges::any_of(groups,
                                      [&](const json& group) {
                                        return group.at("class") == verdict.at("class") &&
                                               group.value("answer", json()) == verdict.at("answer");
                                      }))
          << verdict.at("answer") << " is told by none of these: " << answers_of(groups);
      EXPECT_NE(page.find(verdict.at("answer").dump()), std::string::npos) << verdict.at("answer");
    }
    EXPECT_GT(answers, 0U) << words.front();
  };
  compare({"bench", directory(), "--method", "buffered,writebehind,direct", "--size", "2M", "--rounds", "6", "--json",
           "-"});
  compare({"tune", directory(), "--dry-run", "--class", "none", "--size", "4M", "--time", "10s", "--json", "-"});
}

TEST_F(counted_trials, that_met_slow_memory_stand_apart) {
  SQLite::Database{store_, SQLite::OPEN_READWRITE}.exec(
      "UPDATE trials SET met_slow_memory = 1 WHERE run = 1 AND plan_class = 'none' AND round < 3");
  const std::string page = shown({"report", "--run", "1", "--out", "-"});
  EXPECT_NE(page.find("Text, durability none, 3 MiB, new memory slow"), std::string::npos);
  EXPECT_NE(shown({"history", "--run", "1"}).find("new memory slow"), std::string::npos);
  EXPECT_NE(shown({"history", "--run", "1", "--export", "markdown", "-"}).find("new memory slow"), std::string::npos);
  const json benchmarks = exported("1", "benchmark").at("benchmarks");
  EXPECT_TRUE(std::ranges::any_of(benchmarks, [](const json& each) {
    return each.at("name").get<std::string>().find("/memory:slow") != std::string::npos;
  }));
}

}  // namespace
}  // namespace freshet
