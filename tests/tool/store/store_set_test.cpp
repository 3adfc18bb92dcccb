// Several stores, read as one.
#include "tool/store/store_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <freshet/error.hpp>

#include "tests/support/temporary_directory.hpp"
#include "tests/tool/store/store_sample.hpp"
#include "tool/analysis/groups.hpp"

namespace freshet::tool {
namespace {

namespace fs = std::filesystem;
using test::sample_record;
using test::sample_run;
using testing::ElementsAre;

class store_sets : public testing::Test {
 protected:
  // A store with a run at each of these times, each of so many trials.
  fs::path make(const std::string& name, const std::vector<std::string>& times, unsigned trials) const {
    fs::path file = directory_ / name;
    fs::create_directories(file.parent_path());
    store kept{file, store::access::write};
    for (const std::string& time : times) {
      run begun = sample_run();
      begun.started = time;
      const std::int64_t id = kept.begin(begun);
      for (unsigned round = 0; round < trials; ++round) {
        record trial = sample_record(id, round);
        kept.add(trial);
      }
    }
    return file;
  }

  static std::vector<std::int64_t> ids(const std::vector<run>& runs) {
    std::vector<std::int64_t> all;
    for (const run& each : runs) all.push_back(each.id);
    return all;
  }

  test::temporary_directory directory_;
};

TEST_F(store_sets, number_the_runs_of_further_stores_on) {
  const std::vector files{make("laptop.sqlite", {"2026-03-01T10:00:00Z", "2026-03-03T10:00:00Z"}, 2),
                          make("server.sqlite", {"2026-03-02T10:00:00Z"}, 3)};
  const store_set both{files};
  const std::vector<run> runs = both.runs();
  EXPECT_THAT(ids(runs), ElementsAre(1, 3, 2)) << "in the order in which they began";
  EXPECT_EQ(runs[0].store, "laptop");
  EXPECT_EQ(runs[1].store, "server");
  EXPECT_EQ(both.count(), 7U);
  EXPECT_EQ(both.count({.runs = {2, 3}}), 5U);
  std::vector<std::int64_t> of;
  both.each({.runs = {3}}, [&](record&& trial) { of.push_back(trial.run); });
  EXPECT_THAT(of, ElementsAre(3, 3, 3));
  EXPECT_TRUE(both.sizes().contains({3, sample_record(1).workload, sample_record(1).figures.plan.measured_class}));
}

TEST_F(store_sets, of_one_store_are_that_store) {
  const std::vector files{make("one.sqlite", {"2026-03-01T10:00:00Z"}, 1)};
  const store_set one{files};
  EXPECT_EQ(one.runs().front().store, "");
  EXPECT_EQ(one.sizes(), store{files.front()}.sizes());
}

TEST_F(store_sets, tell_stores_of_one_name_by_their_paths) {
  const std::vector files{make("a/trials.sqlite", {"2026-03-01T10:00:00Z"}, 1),
                          make("b/trials.sqlite", {"2026-03-02T10:00:00Z"}, 1)};
  const std::vector<run> runs = store_set{files}.runs();
  EXPECT_EQ(runs[0].store, files[0].string());
  EXPECT_EQ(runs[1].store, files[1].string());
}

TEST_F(store_sets, fail_as_their_stores_do) {
  const std::vector files{make("one.sqlite", {"2026-03-01T10:00:00Z"}, 1), directory_ / "missing.sqlite"};
  EXPECT_THROW(store_set{files}, error);
}

// Machines that are alike in all that a store says of them.
TEST_F(store_sets, are_never_ranked_in_one_group) {
  const std::vector files{make("laptop.sqlite", {"2026-03-01T10:00:00Z"}, 1),
                          make("server.sqlite", {"2026-03-02T10:00:00Z"}, 1)};
  const store_set both{files};
  const std::vector<run> runs = both.runs();
  report_groups groups{runs, both.sizes()};
  both.each({}, [&](record&& trial) {
    const auto of = static_cast<std::size_t>(trial.run - 1);
    groups.add(std::move(trial), of);
  });
  ASSERT_EQ(groups.places().size(), 2U);
  EXPECT_NE(groups.places()[0].name, groups.places()[1].name);
  EXPECT_EQ(groups.all().size(), 2U);
}

}  // namespace
}  // namespace freshet::tool
