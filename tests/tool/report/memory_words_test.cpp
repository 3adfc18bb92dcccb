// The state of memory: said once, and of a plan only where plans differ in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tool/analysis/groups.hpp"
#include "tool/report/bench_report.hpp"
#include "tool/store/record.hpp"

namespace freshet::tool {
namespace {

using testing::HasSubstr;
using testing::Not;

trial_result make_trial(const std::string& method, memory_state memory) {
  trial_result trial;
  trial.plan = {.method = method, .memory = memory, .size = 1 << 20};
  trial.method = method;
  trial.bytes = trial.plan.size;
  trial.seconds_to_close = trial.seconds_to_disk = 0.1;
  return trial;
}

std::string bench_screen(memory_state memory) {
  std::vector<candidate> rows;
  for (const char* const method : {"buffered", "direct"}) {
    const trial_result trial = make_trial(method, memory);
    rows.push_back({.plan = trial.plan, .trials = std::vector<trial_result>(6, trial)});
  }
  return format_bench(rows);
}

TEST(memory_words, are_said_once_on_a_screen) {
  const std::string left = bench_screen(memory_state::left);
  EXPECT_THAT(left, Not(HasSubstr("memory left")));
  EXPECT_THAT(left, HasSubstr("files of 1 MiB; memory as the trial before left it\n"));
  EXPECT_EQ(left.find("before left it"), left.rfind("before left it"));
  EXPECT_THAT(bench_screen(memory_state::recycled), HasSubstr("memory that held another file just before\n"));
  EXPECT_THAT(bench_screen(memory_state::unbacked), Not(HasSubstr("memory that")));
}

// Of a ranking, the heading has them.
TEST(memory_words, are_no_part_of_a_plans_name_where_all_have_them) {
  run bench;
  bench.id = 1;
  bench.command = "bench";
  report_groups groups{{bench}};
  record left = make_record(make_trial("buffered", memory_state::left));
  EXPECT_EQ(left.label, "buffered, memory left") << "stores and exports keep their names";
  left.run = 1;
  groups.add(std::move(left), 0);
  EXPECT_EQ(groups.all().at(0).rows.at(0).label, "buffered");
  EXPECT_THAT(groups.all().at(0).variant, HasSubstr("memory left"));
}

}  // namespace
}  // namespace freshet::tool
